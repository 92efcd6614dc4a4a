// A thread that has nothing left to do ends, also where its port cannot be closed, as in Deno.
import type { MessagePort } from 'node:worker_threads'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { closePort } from '../../src/threads/close-port.ts'

const ofWorker = vi.fn()
beforeEach(() => void vi.stubGlobal('close', ofWorker))
afterEach(() => {
  vi.unstubAllGlobals()
  ofWorker.mockReset()
})

it('the port of the thread is closed', () => {
  const close = vi.fn()
  const port = { close } as unknown as MessagePort
  closePort(port)
  expect(close.mock.contexts).toEqual([port])
  expect(ofWorker).not.toHaveBeenCalled()
})

it('the worker ends where its port cannot be closed', () => {
  closePort({ postMessage: () => undefined } as unknown as MessagePort)
  expect(ofWorker).toHaveBeenCalledOnce()
})
