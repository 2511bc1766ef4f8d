# postgres_test.py - a store of tuned results on a real PostgreSQL server, which
# this test starts: through the library, and through `nereid tune`.
#
# SPDX-FileCopyrightText: the Nereid authors
# SPDX-License-Identifier: Apache-2.0
#
# usage: postgres_test.py NEREID DRIVER HELPER [no-forks]

import concurrent.futures
import contextlib
import glob
import json
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from driver import Driver

SKIPPED = 77  # told to ctest by SKIP_RETURN_CODE
PROCESSES = 16
PASSWORD = "p:@/ %\"é"
ENCODED = "".join(f"%{byte:02x}" for byte in PASSWORD.encode())

nereid, DRIVER, HELPER = sys.argv[1:4]
MAY_FORK = "no-forks" not in sys.argv  # ThreadSanitizer cannot follow
LONGEST_SOCKET = 107  # bytes of a name in sockaddr_un
root = None  # the folder of the test, which the server's user can enter


def skip(reason):
    print(f"skipped: {reason}")
    if root:
        shutil.rmtree(root, ignore_errors=True)
    sys.exit(SKIPPED)


def clean_environment():
    """Without what a user sets for libpq and for Nereid."""
    for name in list(os.environ):
        if name.startswith(("PG", "NEREID_", "XDG_", "LC_")):
            del os.environ[name]
    os.environ["LC_ALL"] = "C.UTF-8"  # messages are compared


def make_root(prefix, user):
    """A folder that the user of the server can enter, whose name leaves room for that
    of a socket. TMPDIR may be private, or long."""
    for parent in dict.fromkeys((tempfile.gettempdir(), "/tmp", "/var/tmp", "/dev/shm")):
        try:
            folder = tempfile.mkdtemp(prefix="nereid-pg-", dir=parent)
        except OSError:
            continue
        os.chmod(folder, 0o755)
        if user:
            with contextlib.suppress(OSError):
                os.chown(folder, user.pw_uid, user.pw_gid)
        probe = ["sh", "-c", 'touch "$0/probe" && rm "$0/probe"', folder]
        if len(os.fsencode(folder + "/.s.PGSQL.5432")) <= LONGEST_SOCKET and \
                subprocess.run([*prefix, *probe], cwd="/", capture_output=True).returncode == 0:
            return pathlib.Path(folder)
        shutil.rmtree(folder, ignore_errors=True)
    skip("no temporary folder is open to the server's user and short enough for a socket")


def equal(found, expected):
    assert found == expected, f"found {found!r}, expected {expected!r}"


def contains(text, part):
    assert part in text, f"no {part!r} in {text!r}"


class Server:
    """Listens on a socket in its own folder only."""

    def __init__(self):
        # Debian keeps them out of PATH, where only links may be.
        places = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        if found := shutil.which("initdb"):
            places.append(os.path.dirname(os.path.realpath(found)))
        if not places:
            skip("no PostgreSQL server is installed")
        self.programs = pathlib.Path(places[-1])
        if not shutil.which("setpriv"):
            skip("setpriv (util-linux) is not installed")
        self.prefix = ["setpriv", "--pdeathsig", "KILL"]
        user = None
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            users = {user.pw_name: user for user in pwd.getpwall()}
            user = users.get("postgres") or users.get("nobody")
            if not user:
                skip("root has no unprivileged user to run the server as")
            self.prefix += [f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        done = subprocess.run([*self.prefix, "true"], cwd="/", capture_output=True, text=True)
        if done.returncode != 0:  # without CAP_SETUID for instance
            skip(f"the server's user cannot be taken on: {done.stderr.strip()}")
        global root
        root = make_root(self.prefix, user)
        os.environ["HOME"] = str(root)  # no ~/.pgpass, and no store of the user's
        self.data = root / "data"
        self.command("initdb", "-D", self.data, "-U", "postgres", "-E", "UTF8", "--locale=C",
                     "-A", "trust", "--no-sync")
        rules = self.data / "pg_hba.conf"
        rules.write_text("local all secret scram-sha-256\n" + rules.read_text())
        self.start()

    def command(self, program, *words):
        done = subprocess.run([*self.prefix, self.programs / program, *words], cwd="/",
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.strip()

    def start(self):
        with open(root / "log", "ab") as log:
            self.process = subprocess.Popen(
                [*self.prefix, self.programs / "postgres", "-D", self.data, "-k", root, "-c",
                 "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=60"],
                cwd="/", stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        while subprocess.run([self.programs / "pg_isready", "-q", "-h", root]).returncode:
            assert self.process.poll() is None, (root / "log").read_text()
            time.sleep(0.05)

    def stop(self):
        self.process.send_signal(signal.SIGQUIT)  # at once, as if it crashed
        self.process.wait()

    def sql(self, database, text):
        return self.command("psql", "-h", root, "-U", "postgres", "-d", database, "-qAtX",
                            "-v", "ON_ERROR_STOP=1", "-c", text)

    def end_sessions(self):
        """Of Nereid; they have ended when this returns."""
        sessions = "FROM pg_stat_activity WHERE application_name = 'nereid'"
        self.sql("postgres", f"SELECT pg_terminate_backend(pid) {sessions}")
        while self.sql("postgres", f"SELECT count(*) {sessions}") != "0":
            time.sleep(0.05)

    def url(self, database, login="postgres"):
        return f"postgresql://{login}@/{database}?host={root}&connect_timeout=100"


class Client(Driver):
    """A process with a store."""

    def __init__(self, url, *options, environment=None):
        if not any(option.startswith("helper=") for option in options):
            options = (*options, f"helper={HELPER}")
        super().__init__([DRIVER, url, *options], environment)
        self.opened = self.read()

    def facts(self):
        return json.loads(self("facts"))

    def helpers(self):
        return self.children(HELPER)


def tool(*words, store=None, fails=False):
    """What `nereid tune` prints."""
    environment = dict(os.environ)
    if store:
        environment["NEREID_TUNED"] = store
    done = subprocess.run([nereid, "tune", *map(str, words)], capture_output=True, text=True,
                          env=environment)
    assert (done.returncode != 0) == fails and done.returncode >= 0, \
        f"exit code {done.returncode}: {done.stdout}{done.stderr}"
    return done.stderr if fails else done.stdout


def results(first, count, median=100.0):
    rows = [{"operator": "softmax", "key_exact": {"n": n}, "configuration": {"B": 1},
             "variant": "ü\"\\\n", "status": "ok", "median_ns": median / 3, "samples": 9,
             "time": 1790000000} for n in range(first, first + count)]
    return json.dumps({"format": "nereid-tuned-results", "version": 1, "results": rows})


def case_every_action(server, url):
    (root / "a.json").write_text(results(0, 300))
    (root / "b.json").write_text(results(290, 20, 50.0))
    file = root / "file.db"
    for name in "a", "b":
        contains(tool("import", root / f"{name}.json", "--store", url), "added")
        tool("import", root / f"{name}.json", "--store", file)
    # By the variable too, and what is stored is the same, byte for byte.
    equal(tool("export", store=url), tool("export", "--store", file))
    contains(tool("list", "--operator", "softmax", store=url), "310 results in postgresql://")
    contains(tool("list", "--operator", "none", "--store", url), "0 results in postgresql://")
    contains(tool("diff", url, file), "310 same")
    contains(tool("merge", url, "--store", root / "merged.db"), "310 added")
    contains(tool("merge", file, "--store", url), "310 equal")
    (root / "c.json").write_text(results(305, 20, 10.0))
    tool("import", root / "c.json", "--store", file)
    contains(tool("merge", file, "--store", url), "15 added, 5 replaced by a faster one")
    contains(tool("report", "--store", url, "--before", root / "merged.db"), "<html")
    equal(server.sql("every_action", "SELECT version FROM nereid_format"), "1")
    # All or nothing, also in several statements.
    client = Client(url)
    server.sql("every_action", """ALTER TABLE nereid_result ADD CHECK (key_exact != '{"n":1400}')""")
    contains(client("record", 1000, 401), "violates check constraint")
    contains(client("count"), "325 results")
    equal(client("record", 1000, 400), "recorded")
    contains(client("count"), "725 results")
    equal(client.end(), 0)


def case_sixteen_processes(_, url):
    def work(number):
        client = Client(url)
        equal(client.opened, "open")
        equal(client("record", 1 + 20 * number, 20), "recorded")
        for _ in range(5):
            equal(client("add"), "added")  # reads, then writes
        equal(client("record", 1, 20), "recorded")
        equal(client.end(), 0)

    with concurrent.futures.ThreadPoolExecutor(PROCESSES) as pool:
        list(pool.map(work, range(PROCESSES)))
    client = Client(url)
    equal(client("count"), f"{1 + 20 * PROCESSES} results, 0 damaged")
    equal(client("time"), str(5 * PROCESSES))
    if MAY_FORK:
        equal(client("fork"), f"{1 + 20 * PROCESSES} results, 0 damaged")
    equal(client("count"), f"{1 + 20 * PROCESSES} results, 0 damaged")
    equal(client.end(), 0)


def case_one_makes_the_tables(server, url):
    """Sessions that make them at once would fail with one error or another."""
    lock = "SELECT pg_advisory_xact_lock(x'5cad6b65fba05ad2'::bigint), pg_sleep(60)"
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        maker = pool.submit(server.sql, "one_makes_the_tables", lock)
        while server.sql("postgres", "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' "
                         "AND granted") == "0":
            time.sleep(0.05)
        contains(Client(url, "busy=100").opened, "another program has locked it")
        server.sql("postgres", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                   "WHERE datname = 'one_makes_the_tables'")
        contains(str(maker.exception()), "terminating connection")
    client = Client(url)
    equal(client.opened, "open")
    equal(client.end(), 0)


def case_a_killed_writer(_, url):
    first, second = Client(url), Client(url)
    equal(first("record", 0, 5), "recorded")
    equal(first("hold"), "holding")
    equal(second("count"), "5 results, 0 damaged")  # readers do not wait
    second.send("add")
    impatient = Client(url, "busy=100")
    contains(impatient("record", 50, 1), "another program has locked it")
    first.process.kill()
    equal(second.read(), "added")
    equal(second("time"), "101")
    # Killed helpers are replaced.
    (helper,) = second.helpers()
    os.kill(helper, signal.SIGKILL)
    equal(second("record", 5, 1), "recorded")
    equal(second("count"), "6 results, 0 damaged")
    equal([first.end(), second.end(), impatient.end()], [-signal.SIGKILL, 0, 0])


def case_a_server_that_restarts(server, url):
    client, optional = Client(url), Client(url, "optional", "pause=0")
    patient = Client(url, "optional")
    equal(client("record", 0, 5), "recorded")
    equal([optional("rows"), patient("rows")], ["5", "5"])
    server.stop()
    contains(client("record", 5, 1), f"error: postgresql://postgres@/{url.split('/')[3].split('?')[0]}: ")
    contains(client("count"), "No such file or directory Is the server running")
    # A library goes on, and says so once.
    equal([optional("rows"), optional("rows"), patient("rows")], ["0"] * 3)
    contains(optional.facts()["notices"][0], "Is the server running")
    equal(len(optional.facts()["notices"]), 1)
    late = Client(url, "optional")
    equal(late.opened, "open")
    equal(late("rows"), "0")
    contains(late("record", 9, 1), "error: ")
    equal(len(late.facts()["notices"]), 1)
    contains(tool("list", "--store", url, fails=True), "Is the server running")
    server.start()
    equal(client("record", 5, 1), "recorded")
    equal([client("count"), optional("rows")], ["6 results, 0 damaged", "6"])
    equal(patient("rows"), "0")  # it does not ask again so soon
    # Its sessions end while they are idle, or in an update.
    server.end_sessions()
    equal(client("count"), "6 results, 0 damaged")
    equal(client("hold"), "holding")
    server.end_sessions()
    client.send("go on")
    equal(client.read(), "holding")  # once more, since nothing was written
    equal(client("go on"), "added")
    equal(client("time"), "101")
    equal([each.end() for each in (client, optional, patient, late)], [0] * 4)


def case_a_newer_format(server, url):
    client = Client(url)
    equal(client("record", 0, 5), "recorded")
    # One that is open notices before it writes.
    server.sql("a_newer_format", "UPDATE nereid_format SET version = 2; "
               "ALTER TABLE nereid_result ADD COLUMN more TEXT")
    contains(client("record", 5, 1), "read-only")
    equal(client("count"), "5 results, 0 damaged")
    facts = client.facts()
    equal([facts["version"], facts["read_only"]], [2, True])
    contains(facts["notices"][0], "format 2 is newer than 1 of this Nereid")
    contains(tool("import", root / "a.json", "--store", url, fails=True), "read-only")
    server.sql("a_newer_format", "UPDATE nereid_format SET oldest_reader = 2")
    contains(Client(url).opened, "format 2, written by a newer Nereid")
    contains(tool("list", "--store", url, fails=True), "this one reads up to format 1")
    server.sql("a_newer_format", "DELETE FROM nereid_format")
    contains(Client(url).opened, "its table nereid_format has no version")
    equal(client.end(), 0)


def case_damaged_rows(server, url):
    client = Client(url)
    equal(client("record", 0, 9), "recorded")
    for number, change in enumerate((
            "median_ns = 1", "median_ns = 'NaN'", "status = 'fine'", "key_exact = 'x'",
            "checksum = ''", "identity = 'x'", "note = E'\\u0001'")):
        server.sql("damaged_rows", f"UPDATE nereid_result SET {change} "
                   f"WHERE key_exact = '{{\"n\":{number}}}'")
    equal(client("count"), "2 results, 7 damaged")
    equal(client("rows"), "2")
    done = subprocess.run([nereid, "tune", "list", "--store", url], capture_output=True, text=True)
    contains(done.stderr, "7 rows are damaged or changed by hand, and ignored")
    # Recording them again repairs all but those whose identity is another.
    equal(client("record", 0, 9), "recorded")
    equal(client("count"), "9 results, 1 damaged")
    equal(client.end(), 0)


def case_passwords(server, url):
    quoted = PASSWORD.replace("'", "''")
    server.sql("passwords", f"CREATE ROLE secret LOGIN PASSWORD '{quoted}'; "
               "GRANT ALL ON DATABASE passwords TO secret; GRANT ALL ON SCHEMA public TO secret")
    plain = server.url("passwords", "secret")
    client = Client(server.url("passwords", f"secret:{ENCODED}"))
    equal(client.opened, "open")
    equal(client("record", 0, 5), "recorded")
    equal(client.facts()["name"], "postgresql://secret@/passwords")
    (helper,) = client.helpers()
    for name in "cmdline", "environ":  # which others may read, or find in a dump
        bytes_of = pathlib.Path(f"/proc/{helper}/{name}").read_bytes()
        assert ENCODED.encode() not in bytes_of and PASSWORD.encode() not in bytes_of
    client.end()
    client = Client(plain, environment={"PGPASSWORD": PASSWORD})
    equal(client("count"), "5 results, 0 damaged")
    client.end()
    contains(Client(plain).opened, "no password supplied")
    for login in "secret:geheim", "secret:geh%zzeim", "secret:geh/e?i@m", "se:cret:geheim":
        for text in (Client(server.url("passwords", login)).opened,
                     tool("list", "--store", server.url("passwords", login), fails=True)):
            assert "geh" not in text and "eim" not in text, text
    contains(Client(server.url("passwords", "secret:geheim")).opened,
             "password authentication failed for user ?secret?".replace("?", '"'))
    contains(Client("postgresql://a:geh%zz@host/").opened,
             "it cannot be read: invalid percent-encoded token; expected postgresql://[USER")
    # Who may only read, reads.
    server.sql("passwords", "REVOKE ALL ON nereid_format, nereid_result FROM secret; "
               "ALTER TABLE nereid_result OWNER TO postgres; "
               "ALTER TABLE nereid_format OWNER TO postgres; "
               "GRANT SELECT ON nereid_format, nereid_result TO secret")
    client = Client(plain, environment={"PGPASSWORD": PASSWORD})
    equal(client("count"), "5 results, 0 damaged")
    contains(client("record", 5, 1), "read-only")
    contains(client.facts()["notices"][0], "it cannot be written")
    client.end()


def case_what_is_not_there(server, url):
    for options in ["read-only"], ["existing"]:
        contains(Client(url, *options).opened, "the database has no tuned results")
    contains(tool("list", "--store", url, fails=True), "the database has no tuned results")
    contains(Client(server.url("nowhere")).opened, 'database "nowhere" does not exist')
    contains(Client(url, "helper=/nowhere/x").opened, "its helper program '/nowhere/x' cannot be started")
    contains(Client(url, "helper=/bin/false").opened, "its helper process failed")
    # A server that takes connections and never answers.
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"postgresql://127.0.0.1:{silent.getsockname()[1]}/x?connect_timeout=2"
        contains(Client(address).opened, "timeout expired")
        client = Client(address, "optional")
        equal([client.opened, client("rows")], ["open", "0"])
        contains(client.facts()["notices"][0], "timeout expired")
        client.end()
    # The user who makes the tables needs the right to.
    server.sql("what_is_not_there", "CREATE ROLE guest LOGIN; "
               "REVOKE ALL ON SCHEMA public FROM PUBLIC")
    contains(Client(server.url("what_is_not_there", "guest")).opened, ": ")


def main():
    clean_environment()
    cases = {name[5:]: function for name, function in globals().items()
             if name.startswith("case_")}
    server = None
    try:
        server = Server()
        for name, function in cases.items():
            server.sql("postgres", f"CREATE DATABASE {name}")
            begin = time.monotonic()
            function(server, server.url(name))
            print(f"{name}: passed in {time.monotonic() - begin:.1f} s", flush=True)
    finally:
        if server and getattr(server, "process", None):
            server.stop()
        if root:
            shutil.rmtree(root, ignore_errors=True)


main()
