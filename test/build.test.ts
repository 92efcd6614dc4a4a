// npm run build leaves out a step only when nothing changed that it reads, writes or is run by. Here with tools that
// write down their calls.
import { spawnSync } from 'node:child_process'
import { appendFileSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from './support/folders.ts'

const SCRIPT = join(import.meta.dirname, '../scripts/build.mjs')
const KERNEL = `import { appendFileSync, copyFileSync, mkdirSync } from 'node:fs'
mkdirSync('build', { recursive: true })
copyFileSync('assembly/index.ts', 'build/kernel.ts')
appendFileSync('calls', 'kernel ')
`
const DIST = `import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
mkdirSync('dist', { recursive: true })
const text = readFileSync('src/index.ts', 'utf8')
writeFileSync('dist/index.js', text)
appendFileSync('calls', 'dist ')
if (text.includes('wrong')) process.exit(2)
`
const CONSOLE = `import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
mkdirSync('dist/console', { recursive: true })
writeFileSync('dist/console/index.html', 'page')
appendFileSync('calls', 'console ')
`

describe('npm run build', () => {
  let folder: string
  const at = (path: string) => join(folder, path)
  const write = (path: string, text: string) => {
    mkdirSync(dirname(at(path)), { recursive: true })
    writeFileSync(at(path), text)
  }
  /** The steps that ran. */
  const build = (...args: string[]): string => {
    rmSync(at('calls'), { force: true })
    spawnSync(process.execPath, [at('scripts/build.mjs'), ...args])
    return existsSync(at('calls')) ? readFileSync(at('calls'), 'utf8').trim() : ''
  }

  beforeEach(() => {
    folder = temporaryFolder('build')
    write('scripts/build-kernel.mjs', KERNEL)
    copyFileSync(SCRIPT, at('scripts/build.mjs'))
    write('scripts/build-dist.mjs', DIST)
    write('scripts/build-console.mjs', CONSOLE)
    write('console/src/main.tsx', 'console')
    write('node_modules/.package-lock.json', '{"lockfileVersion":3}')
    write('assembly/index.ts', 'kernel')
    write('src/index.ts', 'source')
    expect(build()).toBe('kernel dist console')
  })

  it('builds nothing when nothing changed', () => {
    expect(build()).toBe('')
  })

  it('builds what a changed, new or removed source belongs to, and what hangs on that', () => {
    write('src/index.ts', 'source2')
    expect(build()).toBe('dist')
    write('src/more/new.ts', 'new')
    expect(build()).toBe('dist')
    rmSync(at('src/more/new.ts'))
    expect(build()).toBe('dist')
    write('assembly/index.ts', 'kernel2')
    expect(build()).toBe('kernel dist')
    expect(build()).toBe('')
  })

  it('builds anew what was changed or removed among its outputs', () => {
    appendFileSync(at('dist/index.js'), ' changed')
    expect(build()).toBe('dist')
    expect(readFileSync(at('dist/index.js'), 'utf8')).toBe('source')
    rmSync(at('dist'), { recursive: true })
    expect(build()).toBe('dist console')
    rmSync(at('build/kernel.ts'))
    expect(build('kernel')).toBe('kernel')
    expect(build()).toBe('')
  })

  it('builds the console by itself, though it lies in dist', () => {
    write('console/src/main.tsx', 'changed')
    expect(build()).toBe('console')
    write('src/model/limits.ts', 'what the client of the console imports')
    expect(build()).toBe('dist console')
    appendFileSync(at('dist/console/index.html'), ' changed')
    expect(build()).toBe('console')
    write('console/node_modules/vite/index.js', 'of the workspace')
    write('console/README.md', 'for people')
    expect(build()).toBe('')
  })

  it('builds everything with other scripts, also with one that a step only imports', () => {
    write('scripts/more/imported.mjs', '')
    expect(build()).toBe('kernel dist console')
    expect(build()).toBe('')
  })

  it('builds everything with other packages, and always when it is not known which are installed', () => {
    write('node_modules/.package-lock.json', '{"lockfileVersion":3,"packages":{}}')
    expect(build()).toBe('kernel dist console')
    rmSync(at('node_modules/.package-lock.json'))
    expect(build()).toBe('kernel dist console')
    expect(build()).toBe('kernel dist console')
  })

  it('tries again after a step that failed', () => {
    write('src/index.ts', 'wrong')
    expect(build()).toBe('dist')
    expect(build()).toBe('dist')
    write('src/index.ts', 'source')
    expect(build()).toBe('dist')
    expect(build()).toBe('')
  })
})
