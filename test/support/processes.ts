// Processes of a server that a test stops, freezes and kills, and what ends them when the test is gone.
import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/**
 * Ends the server and removes its folder when this process is gone, however it ended: then the standard input of the
 * watchdog ends. SIGCONT comes first, for a stopped process does not see that its postmaster ended.
 */
export function watch(postmaster: number, folder: string): ChildProcess {
  return spawn('sh', ['-c', WATCHDOG, String(postmaster), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true, // a signal to the group of the tests does not end it
  })
}

const WATCHDOG = `
read -r _
for stat in /proc/[0-9]*/stat; do
  read -r pid _ _ parent _ <"$stat"
  if [ "$parent" = "$0" ]; then kill -CONT "$pid"; fi
done
kill -CONT "$0"
kill -QUIT "$0"
for _ in 1 2 3 4 5 6 7 8 9 10; do
  kill -0 "$0" || break
  sleep 0.5
done
rm -rf "$1"`

export function listChildren(parent: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).filter((pid) => findProcessStatus(pid)?.parent === parent)
}

/** What the system says about a process; undefined when it has ended. */
export function findProcessStatus(pid: number): { parent: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state, parent] = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return state === 'Z' ? undefined : { parent: Number(parent) }
  } catch {
    return undefined
  }
}

export function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch (error) {
      // it ended meanwhile
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

export const ended = (child: ChildProcess): boolean =>
  child.pid === undefined || child.exitCode !== null || child.signalCode !== null
