// Pages and parts of them are loaded when they are opened. While the server is away that waits, instead of failing.
import { serverAnswers, serverIsAway, serverIsBack } from './connection.ts'
import { queryClient } from './query-client.ts'

/** How often a module is loaded, where the server comes and goes meanwhile. */
const TRIES_MAX = 5

/**
 * Loads a module; when the server is away, as soon as it is back. When it answers, the module is loaded once more before
 * that counts as a failure: the server may have come back since.
 * @throws what `load` throws when the server is there: after an update it has other files
 */
export async function loadWhenThere<M>(load: () => Promise<M>): Promise<M> {
  let wasThere = false
  for (let tried = 1; ; tried++) {
    try {
      return await load()
    } catch (error) {
      const isThere = await serverAnswers()
      if (tried === TRIES_MAX || (isThere && wasThere)) throw error
      wasThere = isThere
      if (isThere) continue
      serverIsAway(() => void queryClient.invalidateQueries())
      await serverIsBack()
    }
  }
}
