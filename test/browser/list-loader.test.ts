// Lists of the routes of members as a page loads them: one load at a time, the last one counts, none is heard of after
// the end, and what is refused says why.
import { afterEach, expect, it, vi } from 'vitest'
import { ListLoader, type Loaded, NOT_LOADED, send } from '../../src/browser/react/list-loader.ts'
import { MembersError } from '../../src/browser/react/members-error.ts'
import { SNAPSHOT_LOAD_TIMEOUT_MS } from '../../src/model/limits.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

/** Each request, to be answered by the test. */
interface Pending {
  readonly url: string
  readonly init: RequestInit
  answer(response: Response): void
}
function holdRequests(): Pending[] {
  const pending: Pending[] = []
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    return new Promise<Response>((resolve, reject) => {
      init.signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))
      pending.push({ url, init, answer: resolve })
    })
  })
  return pending
}
function startLoader() {
  let loaded: Loaded<unknown> = NOT_LOADED
  const loader = new ListLoader<unknown>('/authz/members', (change) => {
    loaded = change(loaded)
  })
  return { loader, loaded: () => loaded }
}
const list = (total_count: number) => Response.json({ data: [], total_count, may_manage: true })

it('a list is loaded with the header that marks it, and stays while the next one is loading and after a failure', async () => {
  const pending = holdRequests()
  const { loader, loaded } = startLoader()
  const first = loader.load()
  expect(loaded()).toEqual({ answer: undefined, error: undefined, isLoading: true })
  expect(pending[0]).toMatchObject({ url: '/authz/members', init: { method: 'GET', cache: 'no-store' } })
  expect(pending[0]!.init.headers).toEqual({ 'x-requested-with': 'zerohop' })
  pending[0]!.answer(list(1))
  await first
  const answer = { data: [], total_count: 1, may_manage: true }
  expect(loaded()).toEqual({ answer, error: undefined, isLoading: false })

  const second = loader.load()
  expect(loaded()).toEqual({ answer, error: undefined, isLoading: true })
  pending[1]!.answer(Response.json({ error: 'forbidden', message: 'no' }, { status: 403 }))
  await second
  expect(loaded()).toMatchObject({ answer, isLoading: false })
  expect(loaded().error).toEqual(new MembersError('forbidden', 'no', 403))

  const third = loader.load()
  pending[2]!.answer(list(2))
  await third
  expect(loaded()).toMatchObject({ answer: { total_count: 2 }, error: undefined })
})

it('of two loads the last one counts, whichever is answered last', async () => {
  const pending = holdRequests()
  const { loader, loaded } = startLoader()
  const loads = [loader.load(), loader.load()]
  expect(pending[0]!.init.signal!.aborted).toBe(true)
  pending[1]!.answer(list(2))
  pending[0]!.answer(list(1))
  await Promise.all(loads)
  expect(loaded()).toMatchObject({ answer: { total_count: 2 }, error: undefined, isLoading: false })
})

it('after the end nothing is loaded and nothing is heard of', async () => {
  const pending = holdRequests()
  const { loader, loaded } = startLoader()
  const load = loader.load()
  const before = loaded()
  loader.end()
  expect(pending[0]!.init.signal!.aborted).toBe(true)
  await load
  await loader.load()
  expect([loaded(), pending.length]).toEqual([before, 1])
})

it('a load that takes too long is given up, and says so', async () => {
  vi.useFakeTimers()
  holdRequests()
  const { loader, loaded } = startLoader()
  const load = loader.load()
  await vi.advanceTimersByTimeAsync(SNAPSHOT_LOAD_TIMEOUT_MS - 1)
  expect(loaded().isLoading).toBe(true)
  await vi.advanceTimersByTimeAsync(1)
  await load
  expect(loaded()).toMatchObject({ isLoading: false, error: { code: 'unavailable', status: undefined } })
})

it('a change is sent as JSON, and a refusal is an error with its code, its status and its reason', async () => {
  const pending = holdRequests()
  const sent = send('PUT', '/authz/members/ana/roles/clerk', { body: { reason: 'on call' } })
  expect(pending[0]!.init).toMatchObject({
    method: 'PUT',
    headers: { 'content-type': 'application/json', 'x-requested-with': 'zerohop' },
    body: '{"reason":"on call"}',
  })
  pending[0]!.answer(new Response(null, { status: 204 }))
  expect(await sent).toBeUndefined()

  for (const [response, want] of [
    [Response.json({ error: 'conflict', message: 'there is one' }, { status: 409 }), ['conflict', 409]],
    [Response.json({ message: 7 }, { status: 422 }), ['unavailable', 422]],
    [Response.json(null, { status: 500 }), ['unavailable', 500]],
    [new Response('<html>', { status: 502 }), ['unavailable', 502]],
    [new Response('<html>'), ['unavailable', undefined]],
  ] as const) {
    const refused = send('POST', '/authz/invites', { body: {} })
    pending.at(-1)!.answer(response)
    const error = await refused.catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(MembersError)
    expect([(error as MembersError).code, (error as MembersError).status]).toEqual(want)
  }
})
