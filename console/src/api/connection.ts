// Whether the server answers. When it does not, it is asked again and again until it does; then everything on the page
// is read anew.
import { send } from './send.ts'

/** Between two attempts to reach the server. */
const AGAIN_MS = 2_000

let isAway = false
const listeners = new Set<() => void>()

export const isServerAway = (): boolean => isAway

export function subscribeToConnection(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Says that the server did not answer. `onBack` is called when it does again. */
export function serverIsAway(onBack: () => void): void {
  if (isAway) return
  become(true)
  void untilBack(onBack)
}

/** Resolves when the server answers again; at once when it was not away. */
export async function serverIsBack(): Promise<void> {
  if (!isAway) return
  await new Promise<void>((resolve) => {
    const leave = subscribeToConnection(() => {
      if (isAway) return
      leave()
      resolve()
    })
  })
}

async function untilBack(onBack: () => void): Promise<void> {
  while (isAway) {
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    if (await serverAnswers()) become(false)
  }
  onBack()
}

export async function serverAnswers(): Promise<boolean> {
  try {
    return (await send('/console/api/session')).status < 500
  } catch {
    return false
  }
}

function become(next: boolean): void {
  isAway = next
  for (const listener of listeners) listener()
}
