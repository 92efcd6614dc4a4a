// The memory of a server of the soak: the pages of its process as counted by the operating system, and its heap after a
// full collection (probe.mjs).
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

/**
 * MiB that V8 may take for old and for young objects: little, so that what a server holds is what it needs, and a leak
 * ends it.
 */
export const OLD_SPACE_MIB = 64
export const YOUNG_SPACE_MIB = 2

/** Environment variables for a measured server. */
export const watched = (socket) => ({
  SOAK_PROBE: socket,
  NODE_OPTIONS: [
    process.env.NODE_OPTIONS,
    `--max-old-space-size=${OLD_SPACE_MIB}`,
    `--max-semi-space-size=${YOUNG_SPACE_MIB}`,
    `--import=${new URL('./probe.mjs', import.meta.url)}`,
  ].join(' '),
})

/**
 * Bytes: `resident` is everything, `own` leaves out pages of files (of the API: its data, mapped by LMDB, which the
 * kernel takes back when it needs them), `heap` is what JavaScript holds in all threads. Where the kernel does not tell
 * pages of files apart, `own` is `resident`.
 */
export async function readMemory({ pid, socket }) {
  const { heap, resident } = JSON.parse(await text(connect(socket)))
  return { resident, own: findAnonymous(pid) ?? resident, heap }
}

function findAnonymous(pid) {
  if (process.platform !== 'linux') return undefined
  const kib = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return kib === undefined ? undefined : Number(kib) * 1024
}
