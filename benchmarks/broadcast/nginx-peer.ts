/** nginx with one worker that serves the same files from a folder: what an operator would put in the server's place. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Defer } from "../benchmark.ts"
import { sleep } from "../support/figures.ts"
import { freePort } from "../support/free-port.ts"
import { programPath } from "../support/programs.ts"

export interface NginxPeer {
  /** Of the worker. */
  readonly pid: number
  readonly port: number
}

/** Started by root, its worker would be a user that may not enter the folder. */
const user = process.getuid?.() === 0 ? "user root;" : ""

const configuration = (folder: string, port: number, more: string): string => `
${user}
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 20000; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 10000000;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  types { application/vnd.apple.mpegurl m3u8; video/mp4 m4s mp4; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    root ${folder};
    add_header access-control-allow-origin "*";
    add_header cache-control "public, max-age=31536000, immutable";
    ${more}
  }
}
`

/** `folder` holds the files; nginx writes its own beside them. `more`: lines of the configuration. */
export const startNginx = async (folder: string, defer: Defer, more = ""): Promise<NginxPeer> => {
  const nginx = programPath("nginx")
  const port = await freePort()
  const file = join(folder, "nginx.conf")
  writeFileSync(file, configuration(folder, port, more))
  const master = spawn(nginx, ["-c", file, "-p", folder, "-e", join(folder, "error.log")], { stdio: "inherit" })
  defer(async () => {
    master.kill("SIGTERM")
    await once(master, "exit")
  })
  for (let tries = 0; tries < 100; tries++) {
    await sleep(50)
    const children = readFileSync(`/proc/${master.pid}/task/${master.pid}/children`, "utf8").trim()
    if (children !== "") return { pid: Number(children.split(" ")[0]), port }
  }
  throw new Error("nginx did not start")
}
