// Keys that an importer makes, by kind: two objects never share one. Names of one list cannot, because their encoding
// is injective; a key that is made of several names can meet another one, and is then refused.
import { ZerohopError } from '../../model/errors.ts'

export class ClaimedKeys {
  readonly #owners = new Map<string, string>()

  isClaimed(kind: string, key: string): boolean {
    return this.#owners.has(`${kind} ${key}`)
  }

  /**
   * Takes the key for an object; again for the same one.
   * @param owner what it is the key of, for the error
   * @throws INPUT_INVALID when another object has it
   */
  claim(kind: string, key: string, owner: string): string {
    const place = `${kind} ${key}`
    const other = this.#owners.get(place)
    if (other !== undefined && other !== owner)
      throw new ZerohopError('INPUT_INVALID', {
        reason: `${owner} and ${other} would both be the ${kind} \`${key}\`: rename one of them in the old files`,
      })
    this.#owners.set(place, owner)
    return key
  }
}
