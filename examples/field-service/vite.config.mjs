import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [react()],
  // `npm run dev` runs next to `node serve.mjs`, which has the store.
  server: { proxy: { '/rest': 'http://127.0.0.1:8080' } },
})
