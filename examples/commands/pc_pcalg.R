# PC-stable of the package pcalg, for `command`:
#   ca.discover("command", values, rng, program="Rscript examples/commands/pc_pcalg.R")
suppressMessages(library(pcalg))
paths <- commandArgs(trailingOnly = TRUE)
data <- read.csv(paths[1], check.names = FALSE)
statistics <- list(C = cor(data), n = nrow(data))
fit <- pc(statistics, indepTest = gaussCItest, alpha = 0.01, labels = colnames(data),
          skel.method = "stable")
matrix <- as(fit@graph, "matrix")
dimnames(matrix) <- list(colnames(data), colnames(data))
write.csv(matrix, paths[2], quote = FALSE)
