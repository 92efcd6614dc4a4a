// The reason that an environment requires of writes. A write that was refused for want of one waits here until somebody
// says it; then it is sent again, so that no dialog and no page has to know.
import { useSyncExternalStore } from 'react'
import { reasonHeaders, type SentReasons } from 'zerohop/client'

type Answer = (reasons: SentReasons | undefined) => void

let waiting: readonly Answer[] = []
const listeners = new Set<() => void>()

const become = (next: readonly Answer[]): void => {
  waiting = next
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Whether a write waits for a reason. */
export const useIsReasonMissing = (): boolean => useSyncExternalStore(subscribe, () => waiting.length > 0)

/** Answers all writes that wait; undefined leaves them refused. */
export function giveReason(reasons: SentReasons | undefined): void {
  const answers = waiting
  become([])
  for (const answer of answers) answer(reasons)
}

/** Whether the answer refuses a write because its environment requires a reason and none was sent. */
export async function isReasonMissing(request: Request, response: Response): Promise<boolean> {
  if (response.status !== 422 || request.headers.has('x-reason')) return false
  const body: unknown = await response.clone().json()
  const { detail = [] } = (body ?? {}) as { readonly detail?: readonly { readonly loc: readonly unknown[] }[] }
  return detail.some(({ loc }) => loc.join('.') === 'header.x-reason')
}

/** Waits for a reason, and puts it on the request; false when nobody says one. */
export async function awaitReason(request: Request): Promise<boolean> {
  const reasons = await new Promise<SentReasons | undefined>((resolve) => become([...waiting, resolve]))
  if (reasons === undefined) return false
  for (const [name, value] of Object.entries(reasonHeaders(reasons))) request.headers.set(name, value)
  return true
}
