"""The study file: what can be said in it, and every mistake at once."""

from causalassay.study.language.description import describe
from causalassay.study.language.mistakes import StudyMistakes
from causalassay.study.language.reading import parse_study, read_study

__all__ = ["StudyMistakes", "describe", "parse_study", "read_study"]
