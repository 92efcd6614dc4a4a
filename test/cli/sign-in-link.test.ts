// The link that signs in to the console once is printed on a terminal, where the folder is new and the server listens for
// this machine alone; nothing that is kept in a log has it.
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { serveHere } from '../support/serve-here.ts'
import { endServers, freePort } from '../support/server.ts'

afterEach(endServers)

/** Makes standard output a terminal or not, until the test ends. */
function setTerminal(isTTY: boolean | undefined): void {
  const before = process.stdout.isTTY
  onTestFinished(() => {
    process.stdout.isTTY = before
  })
  process.stdout.isTTY = isTTY as boolean
}

async function serveAndEnd(data: string, host = '127.0.0.1'): Promise<string> {
  const ports = { api: await freePort(), pdp: await freePort() }
  const server = await serveHere(data, ports, false, { ZEROHOP_HOST: host })
  const { output } = server
  await server.end()
  return output
}

const LINK = /\/console\/#token=[\w-]+/

describe('the link that signs in', () => {
  it('is printed once, for a new folder on a terminal, and is in no line of the log', async () => {
    setTerminal(true)
    const data = temporaryFolder('sign-in-link')
    const output = await serveAndEnd(data)
    expect(output).toMatch(LINK)
    expect(output.split('\n').filter((line) => line.startsWith('{') && LINK.test(line))).toEqual([])
    expect(await serveAndEnd(data)).not.toMatch(/token=/)
  })

  it.each([
    ['standard output is a file', undefined, '127.0.0.1'],
    ['others may come from elsewhere', true, '0.0.0.0'],
    ['it listens on every address of IPv6', true, '::'],
  ])('is not printed where %s', async (_, isTTY, host) => {
    setTerminal(isTTY)
    const output = await serveAndEnd(temporaryFolder('sign-in-link'), host)
    expect(output).toMatch(/^console +http/m)
    expect(output).not.toMatch(/token=/)
  })
})
