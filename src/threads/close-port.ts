// How a thread ends itself.
import type { MessagePort } from 'node:worker_threads'

/**
 * In a thread: hears no more messages, so that the thread ends when nothing else is open. The port of Deno cannot be
 * closed; its threads are workers of the web, which end at once.
 */
export function closePort(port: MessagePort | null): void {
  const { close } = (port ?? {}) as { readonly close?: () => void }
  if (close !== undefined) close.call(port)
  else (globalThis as { readonly close?: () => void }).close?.()
}
