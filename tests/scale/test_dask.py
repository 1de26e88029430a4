"""The engine of Dask on two real worker processes: from disk, from S3, with one of them killed, and with bad records.

All in one module, because a cluster is started for each process that runs tests of it.
"""

from __future__ import annotations

import json
import logging
import os
import select
import signal
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from stylekl.counts.scale import dask_engine as dask_module
from stylekl.counts.scale.dask_engine import TRIES, Dask, dask_engine
from stylekl.counts.scale.mapping import map_partition
from stylekl.errors import InputError, SplitError, UsageError
from tests.scale.made import compared, parquet, rows, scaled, write_lines
from tests.scale.test_merge import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from stylekl.counts.scale.splits import Split

# Without a fixed port, which somebody else may have.
OPEN = {"scheduler_kwargs": {"dashboard": False, "dashboard_address": "127.0.0.1:0"}}
MODELS = ["one", "two", "three", "four"]
# Servers and event loops of libraries leave sockets to the garbage collector.
pytestmark = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)


@pytest.fixture(scope="session")
def store() -> Iterator[str]:
    """Yield the address of a server that speaks S3, on loopback, with a bucket."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (
            ("AWS_ENDPOINT_URL", f"http://{host}:{port}"),
            ("AWS_ACCESS_KEY_ID", "made-up"),
            ("AWS_SECRET_ACCESS_KEY", "made-up"),
            ("AWS_DEFAULT_REGION", "us-east-1"),
            ("AWS_CONFIG_FILE", os.devnull),
            ("AWS_SHARED_CREDENTIALS_FILE", os.devnull),
        ):
            patch.setenv(name, value)
        import s3fs

        s3fs.S3FileSystem().mkdir("bucket")
        yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture(scope="session")
def engine(store: str) -> Iterator[Dask]:
    """Yield the engine of a cluster of two processes, which know the server; it gives a split up after two deaths."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dask_module, "DEATHS", 1)
        with dask_engine(None, 2) as found:
            yield found


@pytest.fixture(scope="session")
def elsewhere() -> Iterator[str]:
    """Yield the address of a scheduler with a worker that somebody else runs."""
    from distributed import LocalCluster

    with _quiet(), LocalCluster(n_workers=1, threads_per_worker=1, host="127.0.0.1", **OPEN) as cluster:
        yield cluster.scheduler_address


def same(files: list[Any], size: int, engine: Dask, local: list[Any] | None = None) -> None:
    """Require that the cluster counts what this process does, and that the answer is that of the whole files."""
    counted = scaled(files, size, engine=engine)
    assert plain(counted.partial) == plain(scaled(files, size).partial)
    found = compared(local or files, counted)
    assert found.splits == found.one


def test_lines_from_disk(tmp_path, engine):
    same([write_lines(tmp_path / "a.jsonl", rows(MODELS, 20))], 1500, engine)


def test_our_own_form_from_disk(tmp_path, engine):
    """What replies name stands at the end of the file."""
    records: list[dict[str, Any]] = [{"record": "file", "format": "stylekl/1"}]
    for row in rows(MODELS, 20):
        number = row["prompt"].split()[1].rstrip("?")
        records.append({"record": "reply", "model": row["model"], "prompt": number, "text": row["response"]})
    records += [{"record": "prompt", "id": str(n), "text": f"question {n}?"} for n in range(20)]
    records += [{"record": "model", "id": name} for name in MODELS]
    same([write_lines(tmp_path / "a.jsonl", records)], 1500, engine)


def test_lines_and_parquet_on_s3(tmp_path, engine):
    """A pattern with ** finds them in their folders; each is read in several splits."""
    import s3fs

    system = s3fs.S3FileSystem()
    records = rows(MODELS, 20)
    lines = write_lines(tmp_path / "a.jsonl", records[:40])
    table = parquet(tmp_path / "b.parquet", records[40:], 6)
    system.put_file(str(lines), "bucket/x/a.jsonl")
    system.put_file(str(table), "bucket/x/y/b.parquet")
    system.pipe_file("bucket/x/notes.txt", b"none of it")
    names = ["s3://bucket/x/**/*.jsonl", "s3://bucket/**/*.parquet"]
    counted = scaled(names, 1500, engine=engine)
    assert [source.path for source in counted.whole.results.sources] == [
        "s3://bucket/x/a.jsonl",
        "s3://bucket/x/y/b.parquet",
    ]
    assert len(counted.partial.splits) > 8
    found = compared([lines, table], counted)
    assert found.splits == found.one


def test_gzip_on_s3_is_fetched_and_leaves_nothing_behind(tmp_path, engine):
    import gzip

    import s3fs

    records = [
        {"instruction": each["prompt"], "output": each["response"], "generator": each["model"]}
        for each in rows(MODELS, 20)
    ]
    path = tmp_path / "a.json.gz"
    path.write_bytes(gzip.compress(json.dumps(records).encode()))
    s3fs.S3FileSystem().put_file(str(path), "bucket/gz/a.json.gz")
    counted = scaled(["s3://bucket/gz/a.json.gz"], 100, engine=engine)
    found = compared([path], counted)
    assert found.splits == found.one
    scratch = Path.home() / ".cache"
    assert not [each for each in scratch.glob("stylekl-*") if each.is_file()]


@pytest.mark.parametrize("name", ["s3://bucket/absent.jsonl", "s3://absent/a.jsonl", "s3://bucket/**/*.csv"])
def test_what_is_not_on_s3_is_said(store, name):
    with pytest.raises(InputError) as error:
        scaled([name], 1000)
    assert error.value.message in (f"{name}: no such file", f"{name}: no file matches")


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waiting for the end of a process is Linux's")
def test_a_worker_killed_in_the_middle_costs_nothing_but_its_time(tmp_path, engine):
    """The split that it has is one that waits for us: a pipe. All splits are in the counts, each once."""
    records = rows(MODELS, 20)
    write_lines(tmp_path / "a.jsonl", records[:60])
    last = write_lines(tmp_path / "b.jsonl", records[60:])
    reference = scaled([tmp_path / "a.jsonl", last], 1 << 20).partial
    content = last.read_bytes()
    last.unlink()
    os.mkfifo(last)
    found: list[Any] = []
    job = Thread(target=lambda: found.append(scaled([tmp_path / "a.jsonl", last], 1500, engine=engine)))
    job.start()
    with last.open("wb", buffering=0) as writer:  # opens when a worker has opened it: it is in the middle
        keeper = os.open(last, os.O_RDWR)  # or the pipe ends with the worker
        pids = engine.client.run(os.getpid)
        (victim,) = [pid for pid in pids.values() if _has_open(pid, last)]
        gone = os.pidfd_open(victim)
        os.kill(victim, signal.SIGKILL)
        select.select([gone], [], [])
        os.close(gone)
        # More than a pipe holds, so that it is through once another worker reads it.
        waiting = memoryview(content + b"\n" * (1 << 20))
        while waiting:
            waiting = waiting[writer.write(waiting) or 0 :]
        os.close(keeper)
    job.join()
    (counted,) = found
    assert victim not in engine.client.run(os.getpid).values()
    assert counted.partial.splits.tolist() == [*range(len(counted.partial.heads))]
    assert len(counted.partial.heads) > 4
    for name in ("cells", "tallies", "copies", "names"):
        assert plain(getattr(counted.partial, name)) == plain(getattr(reference, name))


def _has_open(pid: int, path: Path) -> bool:
    folder = Path(f"/proc/{pid}/fd")
    return any(os.path.realpath(each) == str(path.resolve()) for each in folder.iterdir())


def fatal(split: Split) -> Any:
    """End the worker that counts the second split."""
    if split.number == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return split.number


def failing(split: Split) -> Any:
    """Fail where the network might, every time."""
    note = Path(split.place.path + ".tried")
    note.write_text(note.read_text() + "x" if note.exists() else "x")
    raise ConnectionResetError("reset by peer")


def test_a_split_that_ends_every_worker_is_named(tmp_path, engine):
    path = write_lines(tmp_path / "a.jsonl", rows(MODELS, 5))
    with pytest.raises(SplitError) as error:
        engine.each(fatal, _splits(path))
    assert error.value.message == f"{path}: bytes 1,000 to 2,000: 2 workers died with it"
    assert "--split-size" in error.value.hint
    assert scaled([path], 1 << 20, engine=engine).partial.splits.tolist() == [0]


def test_what_may_pass_is_tried_again_and_then_named(tmp_path, engine):
    path = write_lines(tmp_path / "a.jsonl", rows(MODELS, 5))
    with pytest.raises(SplitError) as error:
        engine.each(failing, _splits(path)[:1])
    assert error.value.message == (
        f"{path}: bytes 0 to 1,000: tried {TRIES} times: ConnectionResetError: reset by peer"
    )
    assert Path(f"{path}.tried").read_text() == "x" * TRIES


def _splits(path: Path) -> list[Split]:
    from stylekl.counts.scale.plan import planned
    from stylekl.results import Reading

    return planned([str(path)], 1000, Reading()).splits


def test_a_record_that_cannot_be_read_ends_the_run_with_its_line(tmp_path, engine):
    records = rows(MODELS, 20)
    records[41]["response"] = 7
    path = write_lines(tmp_path / "a.jsonl", records)
    with pytest.raises(InputError) as error:
        scaled([path], 1500, engine=engine)
    assert error.value.message == f"{path}: line 42: field response: expected text, found a number"
    assert error.value.hint


def test_workers_of_another_version_are_refused(elsewhere, monkeypatch):
    monkeypatch.setattr("stylekl.counts.scale.dask_engine.version", lambda _package: "9.9")
    said = r"^the worker tcp://.* has stylekl .*, this process stylekl .* and tiktoken 9\.9"
    with pytest.raises(UsageError, match=said), dask_engine(elsewhere, None):
        pass


def test_a_scheduler_is_used_and_left_running(tmp_path, elsewhere):
    path = write_lines(tmp_path / "a.jsonl", rows(MODELS, 20))
    for _ in range(2):
        with dask_engine(elsewhere, None) as engine:
            assert plain(scaled([path], 1500, engine=engine).partial) == plain(scaled([path], 1500).partial)


def test_a_scheduler_without_workers_and_one_that_is_not_there(monkeypatch):
    from distributed import LocalCluster

    monkeypatch.setattr("stylekl.counts.scale.dask_engine.WAIT", 1)
    with _quiet(), LocalCluster(n_workers=0, host="127.0.0.1", **OPEN) as cluster:
        address = cluster.scheduler_address
        with pytest.raises(UsageError, match="it has no worker"), dask_engine(address, None):
            pass
    with pytest.raises(UsageError, match=f"--scheduler {address}"), dask_engine(address, None):
        pass
    with pytest.raises(UsageError, match="no keys for TLS"), dask_engine("tls://127.0.0.1:1", None):
        pass


@contextmanager
def _quiet() -> Iterator[None]:
    with ExitStack() as stack:
        logger = logging.getLogger("distributed")
        stack.callback(logger.setLevel, logger.level)
        logger.setLevel(logging.CRITICAL)
        yield


def stylekl(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("stylekl")), "matrix", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | environment)


def test_the_command_says_what_one_process_says(tmp_path):
    """By a cluster of its own, which leaves neither words on stderr nor files in the cache."""
    path = write_lines(tmp_path / "a.jsonl", rows(MODELS, 20))
    several = stylekl("--json", "--engine", "dask", "--jobs", "2", str(path), XDG_CACHE_HOME=str(tmp_path))
    one = stylekl("--json", str(path), XDG_CACHE_HOME=str(tmp_path))
    assert (several.returncode, several.stderr) == (0, one.stderr)
    assert several.stdout == one.stdout
    assert not list(tmp_path.glob("stylekl-*"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_ctrl_c_ends_the_command_its_workers_and_its_files_without_a_word(tmp_path):
    """A worker waits for a pipe meanwhile; all processes of the terminal get the signal."""
    pipe = tmp_path / "a.jsonl"
    os.mkfifo(pipe)
    command = [
        str(Path(sys.executable).with_name("stylekl")),
        "matrix",
        "--engine",
        "dask",
        "--jobs",
        "2",
        str(pipe),
    ]
    with (
        subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | {"XDG_CACHE_HOME": str(tmp_path)},
            start_new_session=True,
        ) as process,
        pipe.open("wb"),
    ):
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)  # ends when no worker holds its end of the pipes
    assert (process.returncode, out, err) == (130, b"", b"")
    assert not list(tmp_path.glob("stylekl-*"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--scheduler", "tcp://127.0.0.1:1"], "--scheduler says nothing without --engine"),
        (["--engine", "dask", "--by", "votes"], "--by votes does not go with --engine"),
        (["--engine", "dask", "--baseline", "x"], "--baseline does not go with --engine"),
        (["--engine", "dask", "--rename", "a=b"], "--rename does not go with --engine"),
        (["--engine", "dask", "--facet", "words"], "--facet words is not counted in splits"),
        (["--engine", "dask", "-"], "standard input cannot be split"),
    ],
    ids=lambda value: value[-2] if isinstance(value, list) else "",
)
def test_what_does_not_go_with_splits_is_refused_in_words(arguments, said):
    found = stylekl(*arguments)
    assert found.returncode == 2
    assert found.stderr.startswith(f"error: {said}")
    assert "hint: " in found.stderr


def test_a_worker_counts_as_this_process_does(tmp_path, engine):
    path = write_lines(tmp_path / "a.jsonl", rows(MODELS, 5))
    from stylekl.counts.scale.mapping import Counting

    split = _splits(path)[0]
    (found,) = engine.each(_counted, [split])
    assert plain(found) == plain(map_partition(split, Counting()))


def _counted(split: Split) -> Any:
    from stylekl.counts.scale.mapping import Counting

    return map_partition(split, Counting())
