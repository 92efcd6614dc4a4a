// One server and one browser for all tests of the console: each would take seconds to start for each file. Tests keep
// out of each other's way by environments of their own (console.ts). Where no Chromium is installed nothing is started.
import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { CHROMIUM } from './chromium.ts'
import { removeTemporaryFolders, temporaryFolder } from './folders.ts'
import { endServers, freePort, readKeys, startServe, url } from './server.ts'

export interface ConsoleServer {
  readonly url: string
  /** of the organization, with access `admin` */
  readonly key: string
  /** where the browser is reached */
  readonly browser: string
}

declare module 'vitest' {
  interface ProvidedContext {
    /** undefined where no Chromium is installed */
    console: ConsoleServer | undefined
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (CHROMIUM === undefined) {
    project.provide('console', undefined)
    return async () => undefined
  }
  const data = temporaryFolder('console')
  const ports = { api: await freePort(), pdp: await freePort() }
  const [browser] = await Promise.all([
    chromium.launchServer({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] }),
    startServe(data, ports),
  ])
  const key = readKeys(data).organization
  project.provide('console', { url: url(ports.api), key, browser: browser.wsEndpoint() })
  return async () => {
    await browser.close()
    await endServers()
    removeTemporaryFolders()
  }
}
