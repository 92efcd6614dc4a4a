// Writes whose revision is known, so that they can be taken back: undoing is reverting that revision, which says no
// where somebody has changed the same since.
import { useMutation } from '@tanstack/react-query'
import { notifyDone, notifyFailure } from '../components/notify.ts'
import { api, read } from './client.ts'
import { type EnvironmentPath, useEnvironmentPath } from './environments.ts'
import { queryClient } from './query-client.ts'

interface Result {
  readonly data?: unknown
  readonly error?: unknown
  readonly response: Response
}

interface WriteOptions<I> {
  readonly send: (input: I) => Promise<Result>
  /** says what was done, in the past: `Role editor assigned` */
  readonly done: (input: I) => string
  /** false where the same request may change nothing: then its revision is not its own */
  readonly isUndoable?: (input: I) => boolean
  readonly onDone?: (input: I, revision: number) => void
  /** where no other place shows the error */
  readonly onFail?: (error: unknown) => void
}

/** A write that says what it did, with a button that takes it back. Its error is shown by whoever calls. */
export function useWrite<I>({ send, done, isUndoable = () => true, onDone, onFail }: WriteOptions<I>) {
  const path = useEnvironmentPath()
  return useMutation({
    mutationFn: async (input: I) => {
      const result = await send(input)
      await read(Promise.resolve(result))
      return Number(result.response.headers.get('x-revision'))
    },
    onSuccess: (revision, input) => {
      const canUndo = isUndoable(input) && revision > 0 && path.e !== '' // a tenant's own page has no history to revert
      notifyDone(done(input), canUndo ? () => undo(path, revision) : undefined)
      onDone?.(input, revision)
    },
    onError: (error) => onFail?.(error),
  })
}

async function undo(path: EnvironmentPath, revision: number): Promise<void> {
  const params = { path: { ...path, revision: String(revision) } }
  try {
    await read(api.POST('/v2/projects/{p}/envs/{e}/revisions/{revision}/revert', { params, body: {} }))
    notifyDone('Undone')
  } catch (error) {
    notifyFailure('This can no longer be undone', error)
  }
  await queryClient.invalidateQueries()
}
