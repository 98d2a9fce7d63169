"""The format of factorial experiments: checks, reading and writing."""

import itertools

import pandas as pd
import pytest

from causalassay.lab.factorial import FactorialExperiment, read_experiment, write_experiment


def rows(n_subjects=3, trials=2):
    """Return a small experiment: one treatment of two levels and one of three, as text."""
    table = [
        {
            "who": f"s{subject}",
            "run": trial,
            "size": 10 * subject,
            "class": "NA" if subject == 0 else "nginx",
            "zip": zip_,
            "agent": agent,
            "time": subject + 0.1 * trial + (agent == "phone"),
        }
        for subject, trial, zip_, agent in itertools.product(
            range(n_subjects), range(trials), (0, 1), ("none", "desk", "phone")
        )
    ]
    return pd.DataFrame(table)


def experiment(frame=None, **changes):
    roles = {
        "frame": rows() if frame is None else frame,
        "subject": "who",
        "trial": "run",
        "treatments": ("zip", "agent"),
        "outcomes": ("time",),
        "covariates": ("size", "class"),
        "biasing": "class",
        "provenance": {"server": 'nginx "1"', "sizes": [1, 2], "host": {"cores": 2}},
        "levels": {"agent": ("none", "desk", "phone")},
    }
    return FactorialExperiment(**(roles | changes))


def test_what_is_written_is_read_back(tmp_path):
    written = experiment()
    path = write_experiment(tmp_path / "web.toml", written)
    found = read_experiment(path)
    pd.testing.assert_frame_equal(written.frame, found.frame, check_dtype=False)
    assert {"zip": (0.0, 1.0), "agent": ("none", "desk", "phone")} == found.levels
    assert written.provenance == found.provenance
    assert ("who", "run", "class") == (found.subject, found.trial, found.biasing)
    assert (3, 6) == (found.n_subjects, found.n_combinations)
    assert ["web.csv", "web.toml"] == sorted(one.name for one in tmp_path.iterdir())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda f: f[f["zip"] == 1], r"treatment 'zip': expected 2 or more different levels"),
        (lambda f: f.drop(index=[0, 6]), r"subject 's0' lacks zip = 0.0, agent = none"),
        (lambda f: f.assign(size=range(len(f))), r"covariate 'size': varies within 3 subjects"),
        (lambda f: f.assign(size=1), r"covariate 'size': the same for all subjects"),
        (lambda f: pd.concat([f, f.head(1)]), r"'s0' has more than one row of zip = 0"),
        (lambda f: f.assign(time=f["time"].where(f.index != 4)), r"'time': 1 values are missing"),
        (lambda f: f.assign(time=2.0), r"outcome 'time': always 2.0"),
        (lambda f: f.assign(time="fast"), r"outcome 'time': expected numbers, got 'fast'"),
        (lambda f: f.assign(agent=f["agent"].replace("desk", "Desk")), r"'Desk' occurs but"),
        (lambda f: f.drop(columns="time"), r"outcomes: there is no column 'time'"),
        (lambda f: f.head(0), r"at least 1 row"),
    ],
)
def test_bad_rows_are_named(change, words):
    frame = change(rows())
    with pytest.raises(ValueError, match=words):
        experiment(frame, levels={} if "zip': expected" in words else experiment().levels)


def test_a_column_has_one_role_and_the_biasing_one_is_a_covariate():
    with pytest.raises(ValueError, match="'size' is named under covariates and outcomes"):
        experiment(outcomes=("time", "size"))
    with pytest.raises(ValueError, match="biasing: 'zip' is not a covariate"):
        experiment(biasing="zip")
    with pytest.raises(TypeError, match="treatments: expected a tuple"):
        experiment(treatments="zip")


def test_without_a_trial_column_repeated_runs_are_an_error():
    with pytest.raises(ValueError, match="name the column that counts trials"):
        experiment(trial=None)


def test_incomplete_subjects_are_left_out_on_request_and_named(tmp_path):
    path = write_experiment(tmp_path / "web.toml", experiment())
    lines = (tmp_path / "web.csv").read_text().splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith("s1,") or ",1,phone," not in line]
    (tmp_path / "web.csv").write_text("".join(kept))
    path.write_text(path.read_text().replace(f"rows = {len(lines) - 1}", f"rows = {len(kept) - 1}"))
    with pytest.raises(ValueError, match="subject 's1' lacks zip = 1.0, agent = phone"):
        read_experiment(path)
    found = read_experiment(path, leave_out_incomplete=True)
    assert (2, ("s1",)) == (found.n_subjects, found.left_out)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('subject = "who"', "", "subject: missing; expected text"),
        ('subject = "who"', "subject = 3", "subject: got 3, expected text"),
        ("rows = 36", 'provenence = "me"', "provenence: there is no such key; did you mean 'prov"),
        ("rows = 36", 'rows = "36"', 'rows: got "36", expected the number of rows'),
        (
            'biasing = "class"',
            'biasing = "clas"',
            "biasing: 'clas' is not a covariate; did you mean",
        ),
        ('["time"]', '["time", "size"]', "covariates: column 'size' is named under outcomes and"),
        ('["time"]', "[]", "outcomes: got .*, expected a list of one or more names"),
        ("rows = 36", "rows = 35", "has 36 rows, but web.toml says 35"),
        (
            '"zip" = [0.0, 1.0]',
            '"zip" = 3',
            "treatments.zip: got 3, expected a list of two or more levels",
        ),
        ('"zip" = [0.0, 1.0]', '"zip" = [0]', r"treatments.zip: got \[0\], expected a list of two"),
        ('"zip" = [0.0, 1.0]', '"zip" = [0, "1"]', "treatments.zip: got .*, all text or all numb"),
        ('"zip" = [0.0, 1.0]', '"zip" = [0, 0]', "treatments.zip: expected different levels"),
        ('"zip" = [0.0, 1.0]', '"zip" = [0, 2]', "1.0 occurs but is not among its levels"),
        ("[treatments]", "[treatments", "not TOML"),
    ],
)
def test_a_bad_description_is_one_clear_line(tmp_path, old, new, words):
    path = write_experiment(tmp_path / "web.toml", experiment())
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(ValueError, match=words) as caught:
        read_experiment(path)
    assert "\n" not in str(caught.value)


def test_every_mistake_of_a_description_is_told_at_once(tmp_path):
    path = write_experiment(tmp_path / "web.toml", experiment())
    text = path.read_text().replace('subject = "who"', 'subjcet = "who"')
    text = text.replace('biasing = "class"', 'biasing = "zip"').replace("rows = 36", "rows = -1")
    path.write_text(text.replace('"agent" = [', '"agent" = [0, '))
    with pytest.raises(ValueError, match="web.toml: 5 mistakes") as caught:
        read_experiment(path)
    lines = [line.strip().partition(": ")[0] for line in str(caught.value).splitlines()[1:]]
    assert ["biasing", "rows", "subjcet", "subject", "treatments.agent"] == sorted(lines)


def test_every_column_that_is_absent_is_named():
    with pytest.raises(ValueError, match="no column 'tim'.*; outcomes: there is no column 'tome'"):
        experiment(outcomes=("tim", "tome"))


def test_files_that_are_absent_or_misnamed(tmp_path):
    with pytest.raises(FileNotFoundError, match="no such file"):
        read_experiment(tmp_path / "web.toml")
    with pytest.raises(ValueError, match=r"ends in \.toml"):
        write_experiment(tmp_path / "web.csv", experiment())
    path = write_experiment(tmp_path / "web.toml", experiment())
    (tmp_path / "web.csv").unlink()
    with pytest.raises(FileNotFoundError, match=r"web\.csv: there is no such file"):
        read_experiment(path)
