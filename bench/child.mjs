// Runs a part of the bench in a process of its own, with a limit on the time until it is ready and on its memory, so
// that a peer that cannot load a workload is a line in the report and not the end of the run.
import { fork } from 'node:child_process'
import { readFileSync } from 'node:fs'

export const LOAD_MS_MAX = 60_000
const MEMORY_BYTES_MAX = 4 * 1024 ** 3
const MEMORY_POLL_MS = 200
const PAGE_BYTES = 4096

/**
 * Runs `file` with `job` and gives what it sends as `{ type: 'done', result }`. Messages `{ type: 'loaded' }` end the
 * time to load.
 * @returns {Promise<{ result?: unknown, failure?: string }>}
 */
export function runChild(
  file,
  job,
  { flags = [], loadMs = LOAD_MS_MAX, totalMs = 600_000, memoryBytes = MEMORY_BYTES_MAX } = {},
) {
  return new Promise((resolve) => {
    const heapMiB = Math.floor(memoryBytes / 1024 ** 2)
    const execArgv = [`--max-old-space-size=${heapMiB}`, '--expose-gc', ...flags]
    const child = fork(new URL(file, import.meta.url), { execArgv, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
    let errors = ''
    let settled = false
    const finish = (outcome) => {
      if (settled) return
      settled = true
      clearTimeout(loading)
      clearTimeout(running)
      clearInterval(watching)
      if (child.exitCode === null) child.kill('SIGKILL')
      resolve(outcome)
    }
    const loading = setTimeout(() => finish({ failure: `did not load in ${Math.round(loadMs / 1000)} s` }), loadMs)
    const running = setTimeout(() => finish({ failure: `did not end in ${Math.round(totalMs / 1000)} s` }), totalMs)
    const watching = setInterval(() => {
      if (residentBytes(child.pid) > memoryBytes) finish({ failure: `needs more than ${memoryBytes / 1024 ** 3} GB` })
    }, MEMORY_POLL_MS)
    child.stderr.on('data', (text) => {
      errors = (errors + text).slice(-4000)
    })
    child.on('message', (message) => {
      if (message.type === 'loaded') clearTimeout(loading)
      if (message.type === 'done') finish({ result: message.result })
      if (message.type === 'failed') finish({ failure: message.reason })
    })
    child.on('error', (error) => finish({ failure: error.message }))
    child.on('exit', (code, signal) => {
      const outOfMemory = errors.includes('heap out of memory') || errors.includes('out of memory')
      finish({
        failure: outOfMemory ? `needs more than ${heapMiB} MB` : `ended with ${signal ?? code}: ${firstError(errors)}`,
      })
    })
    child.send(job)
  })
}

/** In the child: does the job that the parent sends and answers with its result. */
export function serveJob(work) {
  process.once('message', async (job) => {
    let answer
    try {
      answer = { type: 'done', result: await work(job, () => process.send({ type: 'loaded' })) }
    } catch (error) {
      answer = {
        type: 'failed',
        reason: String(error?.message ?? error)
          .split('\n')[0]
          .slice(0, 300),
      }
    }
    process.send(answer, () => process.disconnect())
  })
}

function firstError(errors) {
  const line = errors.split('\n').find((text) => /error|abort|fatal|trap/i.test(text))
  return (line ?? errors.trim().split('\n')[0] ?? '').trim().slice(0, 200)
}

/** 0 when the system has no such figure (only Linux has /proc). */
function residentBytes(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES
  } catch {
    return 0
  }
}
