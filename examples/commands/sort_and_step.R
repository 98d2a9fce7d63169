# Sort the columns by variance, then regress each on those before it, stepwise by the BIC.
# It needs R and nothing else: ca.discover("command", values, rng,
#               program="Rscript examples/commands/sort_and_step.R")
paths <- commandArgs(trailingOnly = TRUE)
data <- read.csv(paths[1], check.names = FALSE)
columns <- setdiff(names(data), c("condition", "target"))
data <- data[columns]
places <- order(sapply(data, var))
edges <- data.frame(from = character(), to = character())
for (k in seq_along(places)[-1]) {
  before <- places[seq_len(k - 1)]
  local <- setNames(data[c(places[k], before)], paste0("v", seq_len(k)))
  full <- lm(v1 ~ ., data = local)
  kept <- step(full, k = log(nrow(data)), trace = 0)
  chosen <- as.integer(sub("v", "", attr(terms(kept), "term.labels")))
  if (length(chosen) > 0) {
    edges <- rbind(edges, data.frame(from = columns[before[chosen - 1]], to = columns[places[k]]))
  }
}
write.csv(edges, paths[2], row.names = FALSE, quote = FALSE)
