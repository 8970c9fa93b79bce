import { Component, type ReactNode } from 'react'

/** Shows an error of its children. The button renders them again, with new requests. */
export class ErrorBoundary extends Component<
  { readonly children: ReactNode },
  { readonly error: unknown }
> {
  override state = { error: null as unknown }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    const { error } = this.state
    if (error === null) return this.props.children
    return (
      <div role="alert" className="problem">
        <p>{error instanceof Error ? error.message : String(error)}</p>
        <button type="button" onClick={() => this.setState({ error: null })}>
          Try again
        </button>
      </div>
    )
  }
}
