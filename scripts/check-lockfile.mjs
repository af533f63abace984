/**
 * Every package that `npm ci` may install is pinned by the hash of its contents: an entry without `integrity` takes whatever the
 * registry serves. Installing is quiet: each package accepts every supported Node, and `allowScripts` names each package that has an
 * install script. npm checks the engines of no optional package. Lists every breach and exits 1. An argument names another lockfile
 * than the project's.
 */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import semver from "semver"

const inRoot = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const [path = inRoot("package-lock.json")] = process.argv.slice(2)

/**
 * Native packages of other platforms, which the registry that the lockfile was made with does not serve: there is nothing to hash.
 * `scripts/pin-lockfile.mjs` fills in their hashes wherever the registry has them. Their lines here go then; no line is added.
 */
const UNPINNED = [
  /^@uwsjs\/(?:darwin-arm64|darwin-x64|linux-arm|linux-arm64|win32-x64)-(?:18|20|22|23)@20\.51\.4$/,
  /^@uwsjs\/(?:darwin-arm64|darwin-x64|linux-arm64|win32-x64)-(?:22|24|26)@20\.69\.0$/,
]

const nameOf = ([place, { name, version }]) =>
  `${name ?? place.slice(place.lastIndexOf("node_modules/") + 13)}@${version}`
const { engines, allowScripts } = JSON.parse(readFileSync(inRoot("package.json"), "utf8"))
/** The lowest supported version of each line of Node, and its newest ones. */
const NODES = engines.node.split("||").flatMap((line) => {
  const lowest = semver.minVersion(line)
  return [lowest, new semver.SemVer(`${lowest.major}.99.0`)]
})
const refusedNodes = ({ optional, engines: wanted }) =>
  optional === true || wanted?.node === undefined ? [] : NODES.filter((node) => !semver.satisfies(node, wanted.node))
const isStrong = ({ integrity = "" }) => /^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity)

/** The lockfile's packages, and those without a hash. */
const read = (lockfile) => {
  const { packages = {} } = JSON.parse(readFileSync(lockfile, "utf8"))
  const entries = Object.entries(packages).filter(
    ([place, { link }]) => place.includes("node_modules/") && link !== true,
  )
  return {
    packages: entries.length,
    loose: entries.filter(([, entry]) => !isStrong(entry)).map(nameOf),
    loud: entries.flatMap(([place, entry]) => [
      ...refusedNodes(entry).map((node) => `${nameOf([place, entry])} does not support Node ${node}`),
      ...(entry.hasInstallScript === true && !(place.split("node_modules/").at(-1) in allowScripts)
        ? [`${nameOf([place, entry])} has an install script that "allowScripts" of package.json does not name`]
        : []),
    ]),
  }
}

const product = read(path)
const benchmarks = read(inRoot("benchmarks/package-lock.json"))
const generators = read(inRoot("test-sdks/tools/package-lock.json"))
const breaches = [
  ...product.loose
    .filter((name) => !UNPINNED.some((known) => known.test(name)))
    .map((name) => `package-lock.json: ${name} has no sha512 integrity`),
  ...benchmarks.loose.map((name) => `benchmarks/package-lock.json: ${name} has no sha512 integrity`),
  ...generators.loose.map((name) => `test-sdks/tools/package-lock.json: ${name} has no sha512 integrity`),
  ...product.loud.map((breach) => `package-lock.json: ${breach}`),
  ...benchmarks.loud.map((breach) => `benchmarks/package-lock.json: ${breach}`),
  ...UNPINNED.filter((known) => !product.loose.some((name) => known.test(name))).map(
    (known) => `scripts/check-lockfile.mjs: ${known.source} is pinned by now, remove its line`,
  ),
]
for (const breach of breaches) console.error(breach)
if (breaches.length > 0) process.exit(1)
console.log(
  `${product.packages} packages locked, ${product.loose.length} of them for other platforms without a hash; ${benchmarks.packages} of the benchmarks`,
)
