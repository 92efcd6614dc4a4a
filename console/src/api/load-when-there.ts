// Pages and parts of them are loaded when they are opened. While the server is away that waits, instead of failing.
import { serverAnswers, serverIsAway, serverIsBack } from './connection.ts'
import { queryClient } from './query-client.ts'

/**
 * Loads a module; when the server is away, as soon as it is back.
 * @throws what `load` throws when the server is there: after an update it has other files
 */
export async function loadWhenThere<M>(load: () => Promise<M>): Promise<M> {
  try {
    return await load()
  } catch (error) {
    if (await serverAnswers()) throw error
    serverIsAway(() => void queryClient.invalidateQueries())
    await serverIsBack()
    return load()
  }
}
