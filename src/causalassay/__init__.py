"""An assay office for causal discovery."""
