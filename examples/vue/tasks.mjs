import { ref } from 'vue'
import { useLive } from './use-live.mjs'

/** @param {ReturnType<typeof import('./store.mjs').createStore>} store */
export const Tasks = (store) => ({
  setup() {
    const isDone = ref(false)
    const tasks = useLive(() => store.Task.query('done === :1', [isDone.value]).orderBy('rank'))
    return { isDone, tasks }
  },
  template: `
    <button @click="isDone = !isDone">{{ isDone ? 'Done' : 'Open' }}</button>
    <ul><li v-for="task in tasks" :key="task.ID">{{ task.title }}</li></ul>`,
})
