"""
A bucket on OpenStack Swift with its S3 interface, all in one process and in memory but for its listings. It prints the settings of the
bucket as one line of JSON when it listens, and ends with its standard input.

Debian has it as python3-swift. It verifies every signature, and has multipart uploads as S3 has them.
"""
import json
import os
import sys
import tempfile

import eventlet

eventlet.monkey_patch()

import eventlet.wsgi
from swift.common import utils
from swift.common.ring.builder import RingBuilder

HOST = "127.0.0.1"
NAME, SECRET, REGION, BUCKET = "test:tester", "secret-of-the-tests", "us-east-1", "bucket"

STORE = """[DEFAULT]
swift_dir = {folder}
devices = {folder}/devices
mount_check = false
[pipeline:main]
pipeline = {kind}-server
[app:{kind}-server]
use = egg:swift#{app}
"""

PROXY = """[DEFAULT]
swift_dir = {folder}
[pipeline:main]
pipeline = catch_errors gatekeeper listing_formats s3api tempauth bulk slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:s3api]
use = egg:swift#s3api
location = {region}
auth_pipeline_check = false
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = {secret} .admin
[filter:bulk]
use = egg:swift#bulk
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
"""


class Cache:
    """In the place of memcached, which the servers share otherwise."""

    def __init__(self):
        self.values = {}

    def get(self, key, **_options):
        return self.values.get(key)

    def set(self, key, value, **_options):
        self.values[key] = json.loads(json.dumps(value))

    def delete(self, key, **_options):
        self.values.pop(key, None)

    def incr(self, key, delta=1, **_options):
        self.values[key] = int(self.values.get(key) or 0) + delta
        return self.values[key]


def main():
    folder = tempfile.mkdtemp(prefix="gathercue-swift-")
    os.makedirs(f"{folder}/devices/d1")
    with open(f"{folder}/swift.conf", "w") as conf:
        conf.write("[swift-hash]\nswift_hash_path_suffix = of-the-tests\n[storage-policy:0]\nname = zero\ndefault = yes\n")
    utils.SWIFT_CONF_FILE = f"{folder}/swift.conf"
    utils.validate_hash_conf()
    # After the settings: these read them when they are imported.
    from swift.common import storage_policy
    from swift.common.wsgi import SwiftHttpProtocol, loadapp

    storage_policy.reload_storage_policies()
    sockets = {kind: eventlet.listen((HOST, 0)) for kind in ("account", "container", "object", "proxy")}
    for kind in ("account", "container", "object"):
        builder = RingBuilder(1, 1, 0)
        port = sockets[kind].getsockname()[1]
        builder.add_dev({"region": 1, "zone": 1, "ip": HOST, "port": port, "device": "d1", "weight": 1})
        builder.rebalance()
        builder.get_ring().save(f"{folder}/{kind}.ring.gz")

    cache = Cache()
    log = open(f"{folder}/log", "w")

    def serve(kind, text):
        path = f"{folder}/{kind}.conf"
        with open(path, "w") as conf:
            conf.write(text)
        app = loadapp(path, global_conf={"log_name": kind})

        def cached(env, start_response):
            env["swift.cache"] = cache
            return app(env, start_response)

        eventlet.spawn(eventlet.wsgi.server, sockets[kind], cached, log, protocol=SwiftHttpProtocol)

    for kind, app in (("account", "account"), ("container", "container"), ("object", "mem_object")):
        serve(kind, STORE.format(folder=folder, kind=kind, app=app))
    serve("proxy", PROXY.format(folder=folder, region=REGION, secret=SECRET))
    url = f"http://{HOST}:{sockets['proxy'].getsockname()[1]}/{BUCKET}"
    settings = {"S3_URL": url, "S3_REGION": REGION, "S3_ACCESS_KEY_ID": NAME, "S3_SECRET_ACCESS_KEY": SECRET}
    print(json.dumps(settings), flush=True)
    # In a thread of the system: reading would hold the servers up.
    eventlet.tpool.execute(sys.stdin.read)
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


main()
