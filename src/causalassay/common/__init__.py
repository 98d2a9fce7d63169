"""What every package may use: arrays, seeding, files, names, kernels."""
