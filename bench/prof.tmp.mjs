import { attribute, createDataStore, defineDataClass } from '@entia/core'
const Employee = defineDataClass('Employee', { ID: attribute.long({ key: true, autoSequence: true }), lastName: attribute.string({ indexed: true }), salary: attribute.number({ indexed: true }), note: attribute.string() })
const store = createDataStore({ name: 'p', dataClasses: [Employee] })
const N=100000
store.Employee.load(Array.from({length:N},(_, i)=>({lastName:'Name '+(i%5000), salary:(i*7919)%100000, note:'x'})))
const shape = process.argv[2], q = Number(process.argv[3]??200)
let told=0
const lives=[]
const W=100000/q
for (let i=0;i<q;i++) {
  if (shape==='name') lives.push(store.Employee.query('lastName = :1',['Name '+i]).live(()=>told++, {since:store.globalStamp}))
  if (shape==='range') lives.push(store.Employee.query('salary >= :1 and salary < :2',[i*W,(i+1)*W]).live(()=>told++, {since:store.globalStamp}))
  if (shape==='page') lives.push(store.Employee.query('salary > :1',[i*W/2]).orderBy('salary').page(0,20).live(()=>told++))
}
if (shape==='commit') store.on('commit',()=>told++)
let seed=12345; const rnd=(n)=>{seed^=seed<<13; seed^=seed>>>17; seed^=seed<<5; return (seed>>>0)%n}
const med=[]
for(let r=0;r<6;r++){ told=0; const all=new Float64Array(20000); for(let i=0;i<20000;i++) { const k=1+rnd(N), v=rnd(100000); const a=performance.now(); store.Employee.update(k,{salary:v}); all[i]=(performance.now()-a)*1000 } all.sort(); med.push(all[10000].toFixed(1)+'/'+all[1000].toFixed(1)) }
console.log(shape, q, 'median/p10 us', med.join(' '), 'told', told/20000)
