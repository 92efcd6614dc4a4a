// The last line of .ci/run must be true: what .ci/count.mjs makes of a report of vitest and of its exit code.
import { spawnSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { TestSpecification, Vitest } from 'vitest/node'
import { temporaryFolder } from './support/folders.ts'
import { LONGEST, LongestFirst } from './support/order.ts'
import { ROOT } from './tidy/source.ts'

const folder = temporaryFolder('count')

const file = (...statuses: string[]): object => ({
  name: join(ROOT, 'test/some.test.ts'),
  status: statuses.includes('failed') ? 'failed' : 'passed',
  assertionResults: statuses.map((status, at) => ({
    status,
    fullName: `says ${at}`,
    failureMessages: status === 'failed' ? ['AssertionError: 1\nat a line'] : [],
  })),
})

/** `passed failed skipped`, as .ci/run reads it. */
const count = (report: object | string | undefined, exitCode: number): string => run(report, exitCode).stdout.trim()

function run(report: object | string | undefined, exitCode: number): { stdout: string; stderr: string } {
  const path = join(folder, 'report.json')
  rmSync(path, { force: true })
  if (report !== undefined) writeFileSync(path, typeof report === 'string' ? report : JSON.stringify(report))
  return spawnSync(process.execPath, ['.ci/count.mjs', path, `${exitCode}`], {
    cwd: ROOT,
    encoding: 'utf8',
  })
}

describe('the count of a run', () => {
  const sound = {
    numPassedTests: 3,
    numPendingTests: 1,
    numTodoTests: 0,
    testResults: [file('passed', 'passed'), file('passed', 'skipped')],
  }

  it('is what the report says when all went well', () => {
    expect(count(sound, 0)).toBe('3 0 1')
  })

  it('counts each failed test', () => {
    const report = { ...sound, testResults: [file('passed', 'failed', 'failed'), file('failed')] }
    expect(count(report, 1)).toBe('3 3 1')
  })

  it('counts a file that could not be loaded', () => {
    const report = { ...sound, testResults: [...sound.testResults, { ...file(), status: 'failed' }] }
    expect(count(report, 1)).toBe('3 1 1')
  })

  it('names what failed, and why', () => {
    const unloaded = { ...file(), status: 'failed', message: 'SyntaxError' }
    const report = { ...sound, testResults: [file('passed', 'failed'), unloaded] }
    const why = [
      'test/some.test.ts: says 1',
      '  AssertionError: 1',
      '  at a line',
      'test/some.test.ts',
      '  SyntaxError',
    ]
    expect(run(report, 1).stderr.trimEnd().split('\n')).toEqual(why)
    expect(run(sound, 0).stderr).toBe('')
  })

  it('is a failure when only the exit code says so: an unhandled error, a killed worker', () => {
    expect(count(sound, 1)).toBe('3 1 1')
  })

  it('is a failure when no test ran', () => {
    expect(count({ numPassedTests: 0, numPendingTests: 2, numTodoTests: 0, testResults: [] }, 0)).toBe('0 1 2')
  })

  it('is a failure without a readable report', () => {
    expect(count(undefined, 0)).toBe('0 1 0')
    expect(count('{', 1)).toBe('0 1 0')
  })
})

describe('the order of test files', () => {
  const project = { name: '', config: { isolate: false, sequence: { groupOrder: 0 } } }
  const cache = { getFileTestResults: () => undefined, getFileStats: () => undefined }
  const sorted = async (...paths: string[]): Promise<string[]> => {
    const files = paths.map((path) => ({ moduleId: `/clone/${path}`, project }) as unknown as TestSpecification)
    const sequencer = new LongestFirst({ cache, config: { root: '/clone' } } as unknown as Vitest)
    return (await sequencer.sort(files)).map(({ moduleId }) => moduleId.replace('/clone/', ''))
  }

  it('begins with the longest, whatever is known of earlier runs', async () => {
    const others = ['test/a.test.ts', 'test/b.test.ts']
    const [first, second] = LONGEST
    expect(await sorted(others[0]!, second!, others[1]!, first!)).toEqual([first, second, ...others])
  })

  it('names files that are there, each once', () => {
    expect(LONGEST.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
    expect(new Set(LONGEST).size).toBe(LONGEST.length)
  })
})
