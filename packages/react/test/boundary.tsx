import { Component, type ReactNode } from 'react'

/** Shows the error of its children, and a button that renders them again. */
export class Boundary extends Component<
  { readonly children: ReactNode },
  { readonly error: unknown }
> {
  override state = { error: null as unknown }
  static getDerivedStateFromError(error: unknown) {
    return { error }
  }
  override render() {
    if (this.state.error === null) return this.props.children
    return (
      <button type="button" onClick={() => this.setState({ error: null })}>
        {String(this.state.error)}
      </button>
    )
  }
}
