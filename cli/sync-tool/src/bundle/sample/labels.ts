import type { SampleLanguage } from './coverage.ts';
import type { SeededRandom } from './random.ts';

type Word = 'transport' | 'class' | 'mandate' | 'station' | 'team' | 'attribute' | 'option' | 'rank' | 'agency';

interface Tongue {
  readonly code: string;
  readonly name: string;
  readonly words: Readonly<Record<Word, string>>;
}

const tongue = (code: string, name: string, ...words: readonly string[]): Tongue => {
  const [transport = '', kind = '', mandate = '', station = '', team = ''] = words;
  const [attribute = '', option = '', rank = '', agency = ''] = words.slice(5);
  return { code, name, words: { transport, class: kind, mandate, station, team, attribute, option, rank, agency } };
};

const tongues: readonly Tongue[] = [
  tongue('en', 'English', 'Way', 'Class', 'Task', 'Post', 'Team', 'Field', 'Answer', 'Rank', 'Office'),
  tongue('es_MX', 'Español', 'Medio', 'Clase', 'Tarea', 'Puesto', 'Equipo', 'Campo', 'Opción', 'Grado', 'Oficina'),
  tongue('fr', 'Français', 'Moyen', 'Classe', 'Tâche', 'Poste', 'Équipe', 'Champ', 'Réponse', 'Grade', 'Bureau'),
  tongue('sw', 'Kiswahili', 'Njia', 'Aina', 'Kazi', 'Kituo', 'Timu', 'Sehemu', 'Jibu', 'Cheo', 'Ofisi'),
  tongue('id', 'Indonesia', 'Cara', 'Kelas', 'Tugas', 'Pos', 'Regu', 'Isian', 'Pilihan', 'Pangkat', 'Kantor'),
  tongue('pt_BR', 'Português', 'Meio', 'Classe', 'Tarefa', 'Posto', 'Equipe', 'Campo', 'Opção', 'Grau', 'Agência'),
  tongue('vi', 'Tiếng Việt', 'Cách', 'Loại', 'Nhiệm vụ', 'Trạm', 'Đội', 'Mục', 'Lựa chọn', 'Cấp', 'Cơ quan'),
  tongue('km', 'ខ្មែរ', 'មធ្យោបាយ', 'ថ្នាក់', 'កិច្ចការ', 'ប៉ុស្តិ៍', 'ក្រុម', 'វាល', 'ចម្លើយ', 'ឋានៈ', 'ការិយាល័យ'),
  tongue('ar', 'العربية', 'وسيلة', 'فئة', 'مهمة', 'مركز', 'فريق', 'حقل', 'جواب', 'رتبة', 'مكتب'),
  tongue('hi', 'हिन्दी', 'साधन', 'वर्ग', 'कार्य', 'चौकी', 'दल', 'क्षेत्र', 'उत्तर', 'पद', 'कार्यालय'),
];

/** Most languages that a sample can have. */
export const languagesLimit = tongues.length;

/** The first `count` languages; the first one is the default. */
export const sampleLanguages = (count: number): readonly SampleLanguage[] =>
  tongues.slice(0, count).map(({ code, name }, position) => ({ code, name, is_default: position === 0 }));

/** Labels of one thing in the first `count` languages: nearly all in the default, fewer in each further one. */
export const sampleNames = (
  random: SeededRandom,
  count: number,
  word: Word,
  number: number,
): Record<string, string> => {
  const names: Record<string, string> = {};
  for (const [position, { code, words }] of tongues.slice(0, count).entries())
    if (random.next() < 0.98 - position * 0.08) names[code] = `${words[word]} ${number}`;
  return names;
};
