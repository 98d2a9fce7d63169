"""What a notebook shows: drawn graphs and small tables, deterministic and escaped."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from stored_studies import simple_study_folder
from strategies import cpdags, dags

import causalassay as ca
from causalassay.contracts import Estimate
from causalassay.data import Dataset, Problem, Regime
from causalassay.graphs.circle import around
from causalassay.graphs.drawing import MOST_EDGES, MOST_NODES
from causalassay.graphs.layers import in_layers
from causalassay.notebook import escaped, table

HOSTILE = "<script>alert('1')</script>"
NAMESPACE = "{http://www.w3.org/2000/svg}"


def parsed(svg):
    return ET.fromstring(svg)


def count(svg, tag):
    return len(parsed(svg).findall(f".//{NAMESPACE}{tag}"))
