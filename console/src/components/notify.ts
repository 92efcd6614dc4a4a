// Short messages at the corner of the page: what was done, and what failed where no other place says it.
import { describeError } from '../api/api-error.ts'

const FAILURE_MS = 10_000
/** Long enough to reach the button by the keyboard; the message stays while one is on it. */
const DONE_MS = 10_000

export function notifyFailure(title: string, error: unknown): void {
  void show({ title, message: describeError(error).text, color: 'red', autoClose: FAILURE_MS, role: 'alert' })
}

/** @param undo takes it back; without it there is no such button */
export function notifyDone(message: string, undo?: () => Promise<void>): void {
  void showDone(message, undo)
}

let count = 0

async function showDone(text: string, undo: (() => Promise<void>) | undefined): Promise<void> {
  const { doneMessage } = await import('./done-message.tsx')
  const id = `done-${++count}`
  const takeBack = () => {
    void hide(id)
    void undo?.()
  }
  const message = doneMessage(text, undo && takeBack)
  await show({ id, message, autoClose: DONE_MS, role: 'status' })
}

async function hide(id: string): Promise<void> {
  const { notifications } = await import('@mantine/notifications')
  notifications.hide(id)
}

/** The library is loaded with the first message. */
async function show(message: Parameters<typeof import('@mantine/notifications').notifications.show>[0]): Promise<void> {
  const { notifications } = await import('@mantine/notifications')
  notifications.show({ closeButtonProps: { 'aria-label': 'Close this message' }, ...message })
}
