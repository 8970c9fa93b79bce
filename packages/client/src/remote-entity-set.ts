import type { AsyncEntitySet, EntitySetId, Model } from '@entia/core'
import type { Link } from './call-function.ts'
import { SENT, type SentArgument } from './function-argument.ts'
import { RemoteSelection } from './remote-selection.ts'

/**
 * A selection that the server stores: members and order are fixed until it expires. Each read
 * extends its lifetime.
 */
export class RemoteEntitySet<M extends Model, N extends keyof M>
  extends RemoteSelection<M, N>
  implements AsyncEntitySet<M, N>
{
  readonly id: string

  /** Takes the address of the set, or its id. */
  constructor(link: Link, dataClass: N & string, address: string) {
    const id = address.slice(address.lastIndexOf('/') + 1)
    super(link, dataClass, `${dataClass}/$entityset/${encodeURIComponent(id)}`)
    this.id = id
  }

  protected override get isKept(): boolean {
    return true
  }

  override async [SENT](): Promise<SentArgument> {
    return { wire: { __ENTITIES: true, __DATACLASS: this.dataClass, __DATASET: this.id } }
  }

  /** A new set of the members of both. */
  and(other: EntitySetId<N>): Promise<RemoteEntitySet<M, N>> {
    return this.#combined('AND', other)
  }
  /** A new set of the members of either. */
  or(other: EntitySetId<N>): Promise<RemoteEntitySet<M, N>> {
    return this.#combined('OR', other)
  }
  /** A new set of the members that the other set does not have. */
  except(other: EntitySetId<N>): Promise<RemoteEntitySet<M, N>> {
    return this.#combined('EXCEPT', other)
  }
  async intersects(other: EntitySetId<N>): Promise<boolean> {
    return (
      (await this.link.transport.ask('GET', this.path, {
        $logicOperator: 'INTERSECT',
        $otherCollection: other.id,
      })) === true
    )
  }
  /** A new set without the members that were removed since. */
  async clean(): Promise<RemoteEntitySet<M, N>> {
    return this.setAt(
      await this.link.transport.ask('GET', this.path, {
        $clean: true,
        $method: 'entityset',
        $top: 0,
      }),
    )
  }
  /** Resolves to false if the set no longer existed. */
  async release(): Promise<boolean> {
    const { status } = await this.link.transport.request('GET', this.path, { $method: 'release' })
    return status < 400
  }
  async [Symbol.asyncDispose](): Promise<void> {
    await this.release()
  }

  async #combined(operator: string, { id }: EntitySetId<N>): Promise<RemoteEntitySet<M, N>> {
    const parameters = {
      $logicOperator: operator,
      $otherCollection: id,
      $method: 'entityset',
      $top: 0,
    }
    return this.setAt(await this.link.transport.ask('GET', this.path, parameters))
  }
}
