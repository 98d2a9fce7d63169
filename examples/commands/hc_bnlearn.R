# Hill climbing of the package bnlearn, for `command`:
#   ca.discover("command", values, rng, promises="dag",
#               program="Rscript examples/commands/hc_bnlearn.R")
suppressMessages(library(bnlearn))
paths <- commandArgs(trailingOnly = TRUE)
data <- read.csv(paths[1], check.names = FALSE)
write.csv(as.data.frame(arcs(hc(data, score = "bic-g"))), paths[2], quote = FALSE,
          row.names = FALSE)
