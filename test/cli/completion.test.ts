// Completion in a shell: the words that are offered, and the script in a real bash. Needs the build.
import { spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { COMMAND } from '../support/run-command.ts'
import { runHere as run } from '../support/run-here.ts'

const hasBash = spawnSync('bash', ['--version']).status === 0

describe('zerohop completion', () => {
  it('offers commands, options and their values, and else files', async () => {
    const offered = async (...words: string[]) => (await run(['complete', '--', ...words])).out.split('\n').slice(0, -1)
    expect((await offered('val')).map((line) => line.split('\t')[0])).toEqual(['validate', ':4'])
    expect(await offered('test', '--reporter', '')).toEqual([
      ...['pretty', 'junit', 'tap', 'json'].map((word) => `${word}\t`),
      ':4',
    ])
    expect(await offered('plan', 'pol')).toEqual([':0'])
    expect(await run(['completion', 'tcsh'])).toMatchObject({ code: 64 })
  })

  // skipped without bash
  it.skipIf(!hasBash)('has a script that completes in bash', () => {
    const folder = temporaryFolder('completion')
    writeFileSync(join(folder, 'zerohop'), `#!/bin/sh\nexec "${process.execPath}" "${COMMAND}" "$@"\n`)
    chmodSync(join(folder, 'zerohop'), 0o755)
    // two functions that exist only while bash completes, and with its package bash-completion
    const script = `compopt() { :; }
      _get_comp_words_by_ref() {
        words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]}
      }
      source <(zerohop completion bash)
      COMP_WORDS=(zerohop keys ro) COMP_CWORD=2
      __zerohop_complete
      echo "\${COMPREPLY[@]}"`
    const { stdout, stderr } = spawnSync('bash', ['--noprofile', '--norc', '-c', script], {
      env: { PATH: `${folder}:${process.env.PATH}` },
      encoding: 'utf8',
    })
    expect([stderr, stdout.trim()]).toEqual(['', 'rotate'])
  })
})
