"""The peers' side of each row; each module needs one environment and nothing of ours."""
