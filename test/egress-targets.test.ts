/** Which addresses and names may be called at all. */
import { expect, test } from "vitest"
import { openEgress, refusal } from "./support/egress.ts"

test.each([
  "https://10.0.0.1/",
  "https://172.16.0.1/",
  "https://192.168.1.1/",
  "https://127.0.0.1/",
  "https://127.1/",
  "https://127.0.0.1./",
  "https://0x7f000001/",
  "https://2130706433/",
  "https://0177.0.0.1/",
  "https://１２７.0.0.1/",
  "https://0.0.0.0/",
  "https://169.254.169.254/latest/meta-data/",
  "https://100.64.0.1/",
  "https://198.18.0.1/",
  "https://224.0.0.1/",
  "https://255.255.255.255/",
  "https://[::]/",
  "https://[::1]/",
  "https://[::ffff:127.0.0.1]/",
  "https://[::ffff:10.0.0.1]/",
  "https://[::127.0.0.1]/",
  "https://[64:ff9b::10.0.0.1]/",
  "https://[2002:7f00:1::]/",
  "https://[fe80::1]/",
  "https://[fc00::1]/",
  "https://[4000::1]/",
  "https://168.63.129.16/",
  "https://0xa83f8110/",
  "https://2822734096/",
  "https://[::ffff:168.63.129.16]/",
  "https://100.100.100.200/",
  "https://192.0.0.192/",
  "https://[fd00:ec2::254]/",
  "https://metadata/",
  "https://instance-data/latest/meta-data/",
  "https://metadata.google.internal/",
  "https://METADATA.Google.Internal/",
  "https://ｍetadata.google.internal/",
  "https://instance-data.ec2.internal/",
  "https://metadata.azure.internal/",
  "https://metadata.azure.com/",
  "https://a.metadata.azure.com/",
  "https://metadata.goog/",
  "https://metadata.packet.net/",
  "https://metadata.tencentyun.com/",
  "https://printer.local/",
  "https://localhost/",
  "https://LOCALHOST/",
  "https://localhost./",
  "https://hooks.localhost/",
  "https://example.com./",
  "http://example.com/",
  "http://93.184.215.14/",
  "https://user@example.com/",
  "https://user:secret@example.com/",
  "https://example.com/\n",
  "https://exa\tmple.com/",
  "ftp://example.com/",
  "file:///etc/passwd",
  "example.com",
  "",
  `https://example.com/${"x".repeat(2048)}`,
])("%j may not be called, neither when it is given nor when it is used", async (url) => {
  const egress = openEgress({ allowLoopback: false, resolve: async () => ["93.184.215.14"] })
  expect(await egress.check(url)).toMatchObject(refusal)
  expect(await egress.send({ url })).toMatchObject(refusal)
})

test.each([
  "https://example.com/hook",
  "https://93.184.215.14:8443/",
  "https://[2606:4700::1111]/",
  "https://168.63.129.17/",
  "https://metadata.example.com/",
  "https://internal.example.com/",
  "https://notmetadata.goog/",
])("%j may be called", async (url) => {
  expect(await openEgress({ allowLoopback: false }).check(url)).toMatchObject({ _tag: "Success" })
})

test("the development switch opens loopback and nothing else", async () => {
  const egress = openEgress({ allowLoopback: true, resolve: async () => ["10.0.0.1"] })
  for (const url of ["http://127.0.0.1:1/", "http://localhost:1/", "http://[::1]:1/", "https://localhost/"]) {
    expect(await egress.check(url)).toMatchObject({ _tag: "Success" })
  }
  for (const url of ["http://10.0.0.1/", "https://10.0.0.1/", "http://example.com/", "https://[fc00::1]/"]) {
    expect(await egress.check(url)).toMatchObject(refusal)
  }
  expect(await egress.send({ url: "https://example.com/" })).toMatchObject(refusal)
})

const METADATA = ["168.63.129.16", "::ffff:168.63.129.16", "100.100.100.200", "fd00:ec2::254"]

test("a name is refused when any of its addresses is not public", async () => {
  for (const inside of [
    "127.0.0.1",
    "10.1.2.3",
    "169.254.169.254",
    "::1",
    "::ffff:192.168.0.1",
    "fd00::1",
    ...METADATA,
  ]) {
    const egress = openEgress({ allowLoopback: false, resolve: async () => ["93.184.215.14", inside] })
    expect(await egress.send({ url: "https://example.com/" })).toMatchObject(refusal)
  }
})
