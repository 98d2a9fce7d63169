"""What the assay asks of lingam besides the algorithms that studies have."""

import lingam


def direct(request):
    """Run DirectLiNGAM with pairwise likelihood ratios; its matrix is [effect, cause]."""
    model = lingam.DirectLiNGAM()
    model.fit(request.values)
    return {"weights": model.adjacency_matrix_.T}


ALGORITHMS = {"lingam-direct": direct}
