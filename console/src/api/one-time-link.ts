// A one-time link: its token stands in the fragment of the address, `#token=…`.
import { type Description, describeError } from './api-error.ts'
import { redeemLink } from './session.ts'

const FRAGMENT = /^#token=([^&]+)$/

let redeeming: Promise<void> = Promise.resolve()
let failure: Description | undefined

/** Takes the token out of the address, also out of its history, and begins to exchange it for a session. */
export function redeemLinkOfAddress(): void {
  const token = FRAGMENT.exec(location.hash)?.[1]
  if (token === undefined) return
  history.replaceState(history.state, '', location.pathname + location.search)
  redeeming = redeem(decodeURIComponent(token))
}

/** Waits for that; returns why it failed, undefined when it did not, or when there was no token. */
export async function linkFailure(): Promise<Description | undefined> {
  await redeeming
  return failure
}

async function redeem(token: string): Promise<void> {
  try {
    await redeemLink(token)
  } catch (error) {
    const { text } = describeError(error)
    failure = { title: "This link can't be used", text, canRetry: false }
  }
}
