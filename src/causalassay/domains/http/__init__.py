"""The experiment on HTTP: local web servers, seeded pages, one request at a time."""

from causalassay.domains.http.experiment import run_experiment
from causalassay.domains.http.nginx import find_nginx

__all__ = ["find_nginx", "run_experiment"]
