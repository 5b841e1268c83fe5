"""Ctrl-C ends a call; other threads go on while one solves. No test here depends on time."""
from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import finf
from finf import _call
from finf._library import ffi

S = finf.Spectrum.power(1, 4)
MANY = finf.Spectrum.power(1, 1000).eigenvalues()
AVERAGED = finf.Optimizer("nesterov:0.5", average="last:4")
FOREVER = {"relative_error": 1e-9, "max_steps": 1e15}


def interrupt() -> None:
    """Ctrl-C, to the main thread."""
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)


def test_interrupt_told_by_progress():
    told = []

    def progress(done, expected, mean, error):
        if not told:
            interrupt()
        told.append(done)

    with pytest.raises(KeyboardInterrupt):
        finf.simulate("nu:0.1", 0.05, spectrum=S, progress=progress, **FOREVER)
    assert told


CALLS = {
    "iqc": lambda: finf.iqc("nu:0.05", 0.1, 50),
    "certify": lambda: finf.iqc("nu:0.05", 0.1, 50, certify=True),
    "optimize": lambda: finf.optimize(0.1, kappa=50),
    "tune": lambda: finf.tune(0.1, kappa=50),
    "tune_speed": lambda: finf.tune_speed(0.99, kappa=10),
    "tune_speed_linreg": lambda: finf.tune_speed(0.99, spectrum=S),
    "tune_speed_mean": lambda: finf.tune_speed(0.99),
    "best": lambda: finf.Noise.best(finf.Problem(0.1, kappa=50)),
    "mean": lambda: finf.mean("nu:0.05", 0.1, optimizer=AVERAGED),
    "linreg": lambda: finf.linreg("nu:0.05", 0.1, S, optimizer=AVERAGED),
    "many": lambda: finf.eta_max(MANY),
    "directions": lambda: finf.linreg("nu:0.05", 0.01, S, directions=True, optimizer=AVERAGED),
    "eta_max": lambda: finf.eta_max(S, optimizer=AVERAGED),
    "tune_mean": lambda: finf.tune(0.1, optimizer=AVERAGED),
    "tune_linreg": lambda: finf.tune(0.01, spectrum=S, optimizer=AVERAGED),
    "nu_best": lambda: finf.Noise.nu_best(finf.Problem(0.01, spectrum=S, optimizer=AVERAGED)),
    "best_linreg": lambda: finf.Noise.best(finf.Problem(0.01, spectrum=S, optimizer=AVERAGED)),
    "me": lambda: finf.System.me(500),
    "banded": lambda: finf.System.banded(500, 8),
    "curve": lambda: finf.curve("nu:0.1", 0.05, S, steps=100000),
    "claims": lambda: finf.audit("nu:0.01", steps=4096, max_participations=100, min_sep=5,
                                 claims={"sens2": 1.0}),
    "stream": lambda: finf.NoiseStream("power:0.4,0.1", 1000, 1.0, steps=50, seed=1).next(),
    "simulate": lambda: finf.simulate("nu:0.1", 0.05, spectrum=S, threads=2, **FOREVER)}


@pytest.mark.parametrize("name", CALLS)
def test_interrupt_at_the_first_poll(monkeypatch, name):
    """The library asks whether to stop; then the signal is sent, and it is answered when the flag
    has been set: whatever the machine's speed, the call cannot have ended before."""
    polled = []

    @ffi.callback("int (void *)")
    def poll(data):
        flag = ffi.cast("char *", data)
        if not polled:
            polled.append(1)
            interrupt()
        while flag[0] != b"1":
            time.sleep(0.001)
        return 1

    monkeypatch.setattr(_call, "_POLL", poll)
    with pytest.raises(KeyboardInterrupt):
        CALLS[name]()
    assert polled
    monkeypatch.undo()
    assert finf.mean("sgd", 0.1).F_inf > 0  # and all is well after


def test_interrupt_without_a_second_thread(monkeypatch):
    """A short call asks in the main thread, where the handler of the signal then runs."""
    polled = []

    @ffi.callback("int (void *)", error=1, onerror=_call._keep)
    def look(_data):
        polled.append(1)
        interrupt()
        return 0

    with monkeypatch.context() as patch:
        patch.setattr(_call, "_LOOK", look)
        with pytest.raises(KeyboardInterrupt):
            finf.iqc("product:0.05;0.5", 0.1, 50, solver="newton")
    assert polled == [1]
    sent = threading.Event()
    old = signal.signal(signal.SIGINT, lambda *_: sent.set())
    try:  # a handler that does not raise ends nothing
        interrupt()
        assert finf.iqc("product:0.05;0.5", 0.1, 50, solver="newton").bound > 0 and sent.is_set()
    finally:
        signal.signal(signal.SIGINT, old)


def test_what_progress_raises_ends_the_call():
    def progress(*_):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        finf.simulate("nu:0.1", 0.05, spectrum=S, progress=progress, **FOREVER)


def test_thousands_of_interrupts_do_not_leave_the_call():
    """What it writes to must be there until it ends: no interrupt too many gets past the wait."""
    ended = []

    def function():
        for _ in range(2000):
            interrupt()
            time.sleep(0.0002)
        ended.append(1)

    with pytest.raises(KeyboardInterrupt):
        _call.stoppable(ffi.new("finf_cancel *"), function)
    assert ended


def test_what_cannot_be_stopped_is_left_alone():
    """Ctrl-C is raised while the call goes on; what it makes is nobody's."""
    go_on, ended = threading.Event(), threading.Event()

    def function():
        interrupt()
        go_on.wait()
        ended.set()

    with pytest.raises(KeyboardInterrupt):
        _call.left_alone(10**6, function)
    assert not ended.is_set()
    go_on.set()
    assert ended.wait(60)
    n, noise = 10**6, finf.Noise.nu(0.1)
    assert (noise.coef(n)[:1000] == noise.coef(1000)).all()
    assert (noise.strategy(n)[:1000] == noise.strategy(1000)).all()
    assert finf.Noise.cc().gamma2_T(n)[0] > finf.Noise.cc().gamma2_T(1000)[0]
    with pytest.raises(finf.DomainError):
        noise.gamma2_T(0)


def test_other_threads_call_directly():
    with ThreadPoolExecutor(1) as pool:
        threads = pool.submit(lambda: (finf.iqc("nu:0.05", 0.1, 20), threading.active_count()))
        assert threads.result()[0].bound == finf.iqc("nu:0.05", 0.1, 20).bound


def test_many_threads_agree_with_one():
    def work(i):
        noise = finf.Noise.nu(0.01 * (i + 1))
        return (finf.linreg(noise, 0.02, S).F_inf,
                finf.iqc(noise, 0.1, 20, solver="newton").bound,
                finf.simulate(noise, 0.05, spectrum=S, max_steps=1e6, seed=i).F_sim,
                finf.curve(noise, 0.05, S, steps=500).F_last)

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(16))) == [work(i) for i in range(16)]


RELEASED = """
import ctypes, threading, time
import finf
from finf import _call
from finf._library import ffi

# The library polls sem_wait, and so blocks in C. If Python's lock were held there, this thread
# could never go on to post.
libc = ctypes.CDLL(None)
semaphore = ctypes.create_string_buffer(64)
assert libc.sem_init(semaphore, 0, 0) == 0
_call._POLL = ffi.cast("int (*)(void *)", ctypes.cast(libc.sem_wait, ctypes.c_void_p).value)
address = ctypes.addressof(semaphore)
_call.Stop.into = lambda self, cancel: (setattr(cancel, "poll", _call._POLL),
                                        setattr(cancel, "data", ffi.cast("void *", address)),
                                        self)[2]
out = []
worker = threading.Thread(target=lambda: out.append(finf.iqc("product:0.05;0.5", 0.1, 20,
                                                             solver="newton").bound))
worker.start()
for _ in range(100):
    time.sleep(0.001)  # here the other thread comes to its first poll
assert not out and worker.is_alive()
while worker.is_alive():
    libc.sem_post(semaphore)
print(out[0])
"""


def test_the_lock_is_released():
    done = subprocess.run([sys.executable, "-c", RELEASED], capture_output=True, text=True,
                          timeout=300, check=False, env=os.environ)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) == finf.iqc("product:0.05;0.5", 0.1, 20, solver="newton").bound


INTERRUPTED = """
import gc, sys
import finf
S = finf.Spectrum.power(1, 4)
calls = [lambda: finf.design(6, eta=0.05, spectrum=S, families=["me", "dense", "scaled:1"]),
         lambda: finf.tune_speed(0.9, spectrum=S, rules=("nesterov",), noises=("sgd",)),
         lambda: finf.Noise.best(finf.Problem(0.1, kappa=2)),
         lambda: finf.optimize(0.1, kappa=2, max_rounds=1, factors=1)]
NAMES = {"_family", "_fields", "_at_speed", "_speed", "_best_convex", "optimize_convex", "_optimum",
         "taken"}

def interrupted(call, n):
    left = [n]
    def trace(frame, event, _arg):
        if frame.f_code.co_name not in NAMES:
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode":
            left[0] -= 1
            if left[0] == 0:
                raise KeyboardInterrupt
        return trace
    sys.settrace(trace)
    try:
        call()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(None)
        gc.collect()
    return False

for call in calls:
    n = 1
    while interrupted(call, n):
        n += 1
    assert n > 50, n
    print(n)
"""


def test_an_interrupt_between_any_two_instructions():
    """Where the library's memory passes from one owner to the next: nothing is freed twice."""
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True,
                          timeout=600, check=False, env={**os.environ, "MALLOC_CHECK_": "3"})
    assert done.returncode == 0, done.stderr


ONE_THREAD = """
import ctypes, os, threading
import finf
S = finf.Spectrum.power(1, 4)
part = finf.parts().get("LAPACK", (None, ""))
blas = ctypes.CDLL(part[1]) if "OpenBLAS" in (part[0] or "") else None
given = "OPENBLAS_NUM_THREADS" in os.environ
if blas and not given:
    blas.openblas_set_num_threads(4)
losses, ended = [], threading.Event()

def work():
    losses.extend(finf.design(250, eta=0.05, spectrum=S, families=["dense"])[0].loss
                  for _ in range(3))
    ended.set()

workers = [threading.Thread(target=work) for _ in range(2)]
for w in workers:
    w.start()
while not ended.is_set() and not given:  # a fork waits for nobody
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
for w in workers:
    w.join()
assert not blas or given or blas.openblas_get_num_threads() == 4
print(sorted(set(losses)))
"""


def test_answers_do_not_depend_on_the_cores():
    """Nor on what NumPy's share of the same OpenBLAS is set to, which is as it was after."""
    plain = {k: v for k, v in os.environ.items() if k != "OPENBLAS_NUM_THREADS"}
    several, one = (subprocess.run([sys.executable, "-c", ONE_THREAD], capture_output=True,
                                   text=True, timeout=120, check=True, env=env).stdout
                    for env in (plain, {**plain, "OPENBLAS_NUM_THREADS": "1"}))
    assert several == one and several.count(",") == 0
