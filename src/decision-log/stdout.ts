// The sink `stdout`: the lines themselves, on file descriptor 1. A stalled reader blocks a thread of the pool, never
// the event loop.
import { write } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Sink } from './forwarder.ts'

const STDOUT = 1
const NEWLINE = 0x0a
/**
 * A write up to this size to a pipe is atomic (PIPE_BUF of Linux): lines of the process's own log come between our
 * lines, never inside one.
 */
const PIECE_BYTES = 4096

/** A sink that writes the lines to a file descriptor of this process. */
export function streamSink(fd: number = STDOUT): Sink {
  return {
    name: 'stdout',
    windowMs: 0,
    async send(lines, signal) {
      for (let at = 0; at < lines.length && !signal.aborted; ) {
        const written = await writeSome(fd, lines.subarray(at, endOfPiece(lines, at)))
        if (written === 0) await pause(5)
        at += written
      }
      signal.throwIfAborted()
    },
  }
}

/** As many whole lines as fit into a piece, at least one. */
function endOfPiece(lines: Buffer, at: number): number {
  const end = lines.lastIndexOf(NEWLINE, at + PIECE_BYTES - 1) + 1
  return end > at ? end : lines.indexOf(NEWLINE, at) + 1 || lines.length
}

/** The number of bytes written; 0 when the reader accepts none now. */
function writeSome(fd: number, bytes: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    write(fd, bytes, 0, bytes.length, null, (error, written) => {
      if (error === null) resolve(written)
      else if (error.code === 'EAGAIN') resolve(0)
      else reject(error)
    })
  })
}
