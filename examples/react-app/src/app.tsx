import { preload, useConnected } from '@entia/react'
import { Suspense } from 'react'
import { db, staff, teams } from './db.ts'
import { ErrorBoundary } from './error-boundary.tsx'
import { StaffList } from './staff-list.tsx'

// Both requests start before the first component renders.
preload(staff(), teams())

export function App() {
  return (
    <main>
      <header>
        <h1>Staff</h1>
        <Connection />
      </header>
      <ErrorBoundary>
        <Suspense fallback={<p className="loading">Loading…</p>}>
          <StaffList />
        </Suspense>
      </ErrorBoundary>
    </main>
  )
}

function Connection() {
  const isConnected = useConnected(db)
  return (
    <p role="status" className={isConnected ? 'online' : 'offline'}>
      {isConnected ? 'Up to date' : 'No connection. The list may be out of date.'}
    </p>
  )
}
