/** Draws what `viewer.js` sees into `viewer.html`, and hands on what people do there. */
import { actions, look, watch } from "./viewer.js"

const address = new URL(location.href).searchParams
const client = watch(address.get("server") ?? "http://127.0.0.1:8080", address.get("event") ?? "")
const act = actions(client)

/** @param {string} id @returns {HTMLElement} */
const element = (id) => {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`the page has no #${id}`)
  return found
}

/** @param {string} id @param {string} text */
const write = (id, text) => {
  element(id).textContent = text
}

/** @param {string} id @param {boolean} isShown */
const show = (id, isShown) => {
  element(id).hidden = !isShown
}

/** @param {Promise<unknown>} done */
const attempt = (done) => {
  done.then(
    () => write("problem", ""),
    (cause) => write("problem", cause.message),
  )
}

/** @param {string} text @param {boolean} isOn @param {boolean} isEnabled @param {() => Promise<unknown>} press */
const button = (text, isOn, isEnabled, press) => {
  const made = document.createElement("button")
  made.textContent = text
  made.disabled = !isEnabled
  made.setAttribute("aria-pressed", String(isOn))
  made.addEventListener("click", () => attempt(press()))
  return made
}

/** @param {string} id @param {ReadonlyArray<ReadonlyArray<string | Node>>} items */
const list = (id, items) => {
  const lines = items.map((parts) => {
    const line = document.createElement("li")
    line.append(...parts)
    return line
  })
  element(id).replaceChildren(...lines)
}

const draw = () => {
  const seen = look(client)
  if (seen.event === null) {
    write("title", seen.status === "lobby" ? "A host will let you in" : seen.status)
    return
  }
  const { poll, may } = seen
  write("title", seen.event)
  write("phase", seen.phase)
  write("time", seen.timeLeft ?? "")
  write("watching", `${seen.watching} here`)
  show("clap", may.react)
  show("ask", may.ask)
  show("say", may.chat)
  show("poll", poll !== null)
  list(
    "questions",
    seen.questions.map(({ id, text, by, votes, answer, isVoted }) => [
      button(`▲ ${votes}`, isVoted, may.vote, () => act.vote(id, !isVoted)),
      ` ${text} (${by})${answer === null ? "" : `: ${answer}`}`,
    ]),
  )
  list(
    "chat",
    seen.chat.map(({ name, text }) => [`${name}: ${text}`]),
  )
  if (poll === null) return
  write("poll-question", poll.question)
  list(
    "poll-options",
    poll.options.map(({ id, text, isChosen, votes }) => [
      button(text, isChosen, may.choose && poll.isOpen, () => act.choose(poll.id, id)),
      votes === null ? "" : ` ${votes}`,
    ]),
  )
}

/** @param {string} id @param {(text: string) => Promise<unknown>} send */
const onSubmit = (id, send) => {
  const form = /** @type {HTMLFormElement} */ (element(id))
  form.addEventListener("submit", (submitted) => {
    submitted.preventDefault()
    attempt(send(String(new FormData(form).get("text"))))
    form.reset()
  })
}

onSubmit("ask", act.ask)
onSubmit("say", act.say)
element("clap").addEventListener("click", () => attempt(act.clap()))
client.on("state", draw)
client.on("status", draw)
client.on("announcement", ({ text }) => write("problem", text))
client.on("reaction.tally", ({ counts }) => {
  const said = Object.entries(counts).map(([kind, count]) => `${kind} ×${count}`)
  write("reactions", said.join(", "))
})
setInterval(draw, 1000)
client.connect().catch((/** @type {Error} */ cause) => write("problem", cause.message))
