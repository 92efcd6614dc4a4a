// Short messages at the corner of the page: what was done, and what failed where no other place says it. They are shown
// by shell/notices.tsx.
import { describeError } from '../api/api-error.ts'

/** The last ones are shown. */
const SHOWN = 3

export interface Message {
  readonly id: number
  readonly title?: string
  readonly text: string
  readonly isFailure: boolean
  /** reverts what was done; without it the button is not shown */
  readonly undo?: (() => Promise<void>) | undefined
}

let messages: readonly Message[] = []
let count = 0
const listeners = new Set<() => void>()

export function notifyFailure(title: string, error: unknown): void {
  show({ title, text: describeError(error).text, isFailure: true })
}

/** What somebody should know of a write that was carried out. */
export function notifyWarnings(warnings: readonly string[]): void {
  if (warnings.length > 0) show({ title: 'Done, with a warning', text: warnings.join('; '), isFailure: true })
}

/** @param undo reverts it; without it the button is not shown */
export function notifyDone(text: string, undo?: () => Promise<void>): void {
  show({ text, isFailure: false, undo })
}

export function closeMessage(id: number): void {
  set(messages.filter((message) => message.id !== id))
}

export const currentMessages = (): readonly Message[] => messages

export function subscribeToMessages(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const show = (message: Omit<Message, 'id'>): void => set([...messages, { ...message, id: ++count }].slice(-SHOWN))

function set(next: readonly Message[]): void {
  messages = next
  for (const listener of listeners) listener()
}
