// What every runtime and bundler runs: follows an environment, and answers what the driver asks over HTTP, until it says
// that this was all.
import { connect, loadImage } from 'zerohop'

/** @param {{ url: string, apiKey: string, driver: string, name: string }} options */
export async function follow({ url, apiKey, driver, name }) {
  const events = []
  const onEvent = ({ event, error }) => events.push({ event, code: error?.code, message: error?.message })
  const pdp = await connect({ url, apiKey, name, onEvent, timeoutMs: 60_000 })
  for (let reply = { following: true }; ; ) {
    const answer = await fetch(driver, { method: 'POST', body: JSON.stringify({ name, reply, events }) })
    const question = await answer.json()
    if (question.end) break
    reply = await answerTo(pdp, question)
  }
  await pdp.close()
}

async function answerTo(pdp, { user, tenant, revision }) {
  try {
    await pdp.atLeast(revision, { timeoutMs: 100_000 })
    return { allow: pdp.check(user, 'say', { type: 'hello', tenant }), image: typeof loadImage }
  } catch (error) {
    return { refused: error.code ?? 'no error of zerohop', message: error.message }
  }
}
