// What is read of a request to the routes of members: parameters and fields that a route knows, within a bound. The
// management API looks at their values.
import { MEMBER_BODY_BYTES_MAX } from '../../model/limits.ts'
import { type Fields, MemberRefusal } from './answers.ts'

/** The parameters of a request: those that are known, each once. @throws MemberRefusal */
export function readQuery(request: Request, known: readonly string[]): Readonly<Record<string, string>> {
  const query: Record<string, string> = {}
  for (const [name, value] of new URL(request.url).searchParams) {
    if (!known.includes(name)) throw new MemberRefusal(422, 'invalid', `unknown parameter \`${name.slice(0, 100)}\``)
    if (Object.hasOwn(query, name)) throw new MemberRefusal(422, 'invalid', `\`${name}\` may be sent once`)
    query[name] = value
  }
  return query
}

/** The fields of a JSON body: those that are known, and no others. @throws MemberRefusal */
export async function readBody(request: Request, known: readonly string[]): Promise<Fields> {
  if (!/^application\/json *(;|$)/i.test(request.headers.get('content-type') ?? ''))
    throw new MemberRefusal(415, 'invalid', 'the body must be `application/json`')
  const sent = parse(await readText(request))
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    throw new MemberRefusal(422, 'invalid', 'the body must be an object')
  const unknown = Object.keys(sent).find((name) => !known.includes(name))
  if (unknown !== undefined) throw new MemberRefusal(422, 'invalid', `unknown field \`${unknown.slice(0, 100)}\``)
  return sent as Fields
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new MemberRefusal(400, 'invalid', 'the body is not JSON')
  }
}

/** The next part of a body. @throws MemberRefusal when it has broken off */
async function readPart(reader: ReadableStreamDefaultReader<Uint8Array> | undefined) {
  try {
    return (await reader?.read()) ?? { done: true, value: undefined }
  } catch {
    throw new MemberRefusal(400, 'invalid', 'the body ended before it was whole')
  }
}

/** The text of a body, within the bound. What is beyond is not read, and not cancelled: the answer comes first. */
async function readText(request: Request): Promise<string> {
  const reader = request.body?.getReader()
  const chunks: Uint8Array[] = []
  let bytes = 0
  for (;;) {
    const { done, value } = await readPart(reader)
    if (done || value === undefined) return new TextDecoder().decode(joined(chunks, bytes))
    bytes += value.length
    if (bytes > MEMBER_BODY_BYTES_MAX)
      throw new MemberRefusal(413, 'invalid', `the body has more than ${MEMBER_BODY_BYTES_MAX} bytes`)
    chunks.push(value)
  }
}

function joined(chunks: readonly Uint8Array[], bytes: number): Uint8Array {
  const whole = new Uint8Array(bytes)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}
