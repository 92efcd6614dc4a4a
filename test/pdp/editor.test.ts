// What an editor shows for a call with the types of a policy, from the language server of the compiler, as in editors.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { ROOT } from '../tidy/source.ts'

const END_OF_HEADERS = '\r\n\r\n'

interface Message {
  readonly id?: number
  readonly method?: string
  readonly result?: unknown
}

/** A language server, and what it was asked. */
class LanguageServer {
  readonly #process: ChildProcessWithoutNullStreams
  readonly #answers = new Map<number, (result: unknown) => void>()
  #received = Buffer.alloc(0)

  constructor(cwd: string) {
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    this.#process = spawn(process.execPath, [tsc, '--lsp', '--stdio'], { cwd })
    this.#process.stdout.on('data', (bytes: Buffer) => {
      this.#received = Buffer.concat([this.#received, bytes])
      for (let message = this.#next(); message !== undefined; message = this.#next()) this.#take(message)
    })
  }

  ask(method: string, params: object): Promise<unknown> {
    const id = this.#answers.size + 1
    return new Promise((resolve) => {
      this.#answers.set(id, resolve)
      this.#send({ id, method, params })
    })
  }

  tell(method: string, params: object): void {
    this.#send({ method, params })
  }

  async end(): Promise<void> {
    const ended = once(this.#process, 'exit')
    this.#process.stdin.end()
    await ended
  }

  #send(message: object): void {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message })
    this.#process.stdin.write(`Content-Length: ${Buffer.byteLength(text)}${END_OF_HEADERS}${text}`)
  }

  #next(): Message | undefined {
    const end = this.#received.indexOf(END_OF_HEADERS)
    if (end < 0) return undefined
    const length = Number(/Content-Length: (\d+)/i.exec(this.#received.subarray(0, end).toString())?.[1])
    const begin = end + END_OF_HEADERS.length
    if (this.#received.length < begin + length) return undefined
    const message = JSON.parse(this.#received.subarray(begin, begin + length).toString()) as Message
    this.#received = this.#received.subarray(begin + length)
    return message
  }

  #take({ id, method, result }: Message): void {
    if (id === undefined) return
    // what the server asks of an editor has no answer here
    if (method === undefined) this.#answers.get(id)?.(result)
    else this.#send({ id, result: null })
  }
}

describe('an editor', () => {
  const folder = temporaryFolder('editor')
  const file = join(folder, 'app.ts')
  const textDocument = { uri: pathToFileURL(file).href }
  const lines = [
    `import type { Pdp } from ${JSON.stringify(join(ROOT, 'dist/src/index.js'))}`,
    `import type { Policy } from ${JSON.stringify(join(ROOT, 'test/golden/policy.d.ts'))}`,
    'declare const pdp: Pdp<Policy>',
    "pdp.check('ana', 'read', 'invoice')",
    "pdp.subject('ana').can('open', 'folder')",
  ]
  const text = lines.join('\n')
  writeFileSync(file, text)
  writeFileSync(join(folder, 'tsconfig.json'), '{ "compilerOptions": { "module": "nodenext", "strict": true } }')
  const server = new LanguageServer(folder)
  afterAll(() => server.end())

  const at = (line: number, word: string) => ({
    textDocument,
    position: { line, character: lines[line]?.indexOf(word) ?? 0 },
  })
  const hover = async (line: number, word: string): Promise<string> => {
    const answer = (await server.ask('textDocument/hover', at(line, word))) as { contents: { value: string } }
    return answer.contents.value
  }

  it('shows the actions and the types of the policy where a check is pointed at, and offers them', async () => {
    const capabilities = { textDocument: { hover: { contentFormat: ['plaintext'] } } }
    await server.ask('initialize', { processId: null, rootUri: pathToFileURL(folder).href, capabilities })
    server.tell('initialized', {})
    server.tell('textDocument/didOpen', {
      textDocument: { ...textDocument, languageId: 'typescript', version: 1, text },
    })

    const check = await hover(3, 'check')
    expect(check).toContain('action: "pay" | "read" | ActionObject')
    expect(check).toContain('resource: "invoice" | ')
    expect(await hover(4, 'can')).toContain('action: "open", resource: "folder" | ')

    const offered = await server.ask('textDocument/completion', at(3, 'read'))
    const { items } = offered as { items: readonly { label: string }[] }
    expect(items.map(({ label }) => label).toSorted()).toEqual(['pay', 'read'])
  })
})
