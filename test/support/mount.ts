// A small file system of its own, for tests that fill it. Needs the right to mount: where that is missing there is
// none, and the test says what else proves the same.
import { spawnSync } from 'node:child_process'

/** Its folder; undefined where this user may not mount one. */
export function temporaryMount(options: string): string | undefined {
  const folder = spawnSync('mktemp', ['-d'], { encoding: 'utf8' }).stdout.trim()
  return folder !== '' && spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]).status === 0
    ? folder
    : undefined
}

/** Changes it; true when it took that. */
export function remount(folder: string, options: string): boolean {
  return spawnSync('mount', ['-o', `remount,${options}`, folder]).status === 0
}

export function unmount(folder: string | undefined): void {
  if (folder === undefined) return
  spawnSync('umount', [folder])
  spawnSync('rmdir', [folder])
}
