/** The order of an encoder's files, in virtual time. */
import { expect, test } from "vitest"
import { FileOrder } from "../../src/http/media/broadcasts/file-order.ts"
import { openVirtualTime } from "../support/virtual-time.ts"

const openOrder = async () => {
  const time = await openVirtualTime()
  const order = new FileOrder(time.timers)
  const taken: string[] = []
  /** As a body does: the file leaves once it was taken. */
  const begin = (name: string, address = "a") => {
    const { take, leave } = order.enter(address)
    const finish = (): void =>
      take(() => {
        taken.push(name)
        leave()
      })
    return { finish, leave }
  }
  return { time, taken, begin }
}

test("files are taken in the order in which they began, and those of another address do not wait", async () => {
  const { time, taken, begin } = await openOrder()
  const [first, second, third] = [begin("1"), begin("2"), begin("3")]
  const other = begin("other", "b")
  third.finish()
  second.finish()
  await time.pass(4999)
  expect(taken).toEqual([])
  other.finish()
  expect(taken).toEqual(["other"])
  first.finish()
  expect(taken).toEqual(["other", "1", "2", "3"])
  await time.pass(10_000)
  expect(taken).toEqual(["other", "1", "2", "3"])
})

test("a file that is not coming holds nobody", async () => {
  const { taken, begin } = await openOrder()
  const [first, second] = [begin("1"), begin("2")]
  second.finish()
  first.leave()
  first.leave()
  expect(taken).toEqual(["2"])
})

test("a file that never ends holds the next ones for five seconds once, and is taken when it ends after all", async () => {
  const { time, taken, begin } = await openOrder()
  const [first, second, third] = [begin("1"), begin("2"), begin("3")]
  second.finish()
  await time.pass(4999)
  expect(taken).toEqual([])
  await time.pass(1)
  expect(taken).toEqual(["2"])
  third.finish()
  first.finish()
  expect(taken).toEqual(["2", "3", "1"])
})
