package agent

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Function words make up nearly half of any running text, and languages hardly share them: they tell a
// reply in another language from English with invented names.

// English words of two to five letters that are none in the other languages.
const englishWords = "the and of to is it its you that this with for not have are what who we my your they she but from be our us at " +
	"by if been when then them here some can all his her him had were let about"

// The words of other languages, and behind the stroke those that are English too, or a name's.
var tongueWords = [...]string{
	// French
	"je tu il elle nous vous ils elles le les une des du et est sont dans que qui ne pas sur avec mais où ce cette ces mes tes ses vos notre " +
		"votre nos leur au aux suis ai avons avez ont être avoir fait été moi toi lui très aussi comme bien peu ici chez cela ça rien " +
		"tous toute quoi pourquoi qu avant jamais bonjour bonsoir merci ami amis | la un de en on me ma mon son ton sa se si pour tout a as es plus c j l d n s",
	// German
	"ich du sie wir ihr der das den dem des ein eine einen einem einer und ist sind nicht mit für auf wie aber auch ja nein " +
		"mein meine meinen dein deine sein seine haben habe kann kannst wenn dass noch schon hier euch mich mir dich dir uns vom zum zur nach bei " +
		"über oder wer wo wurde werden wird gibt nur sehr ihn ihm wieder bevor sollten müssen können jemand jemanden etwas nichts heute hast guten abend danke bitte freund freunde " +
		"| von zu er es die war hat was will in an am im so man also als um da",
	// Spanish
	"el los las una del que y en lo por su sus mis yo ella ellos nosotros pero como más muy está están estoy soy eres somos hay qué quién " +
		"dónde cuando esta esto este eso nos ser tu te ti ya bien aquí también porque para nada mí tú él antes alguien tenemos tengo tiene noche esa ese buenas buenos noches gracias amigo amigos | la un de es se con me mi no a he has sin o",
	// Italian
	"il gli una di della dei delle del dal dalla alla nel nella che non è sono siamo hai abbiamo ti ci si vi io lui lei noi voi anche più " +
		"questo questa quello dove quando chi cosa molto mio mia suo sua tuo tua perché qui così prima qualcuno niente buonasera grazie amico amici | la le lo un i e in con per come ma mi ha ho da a me se so",
	// Portuguese
	"os um uma dos das que não é em nos nas por para eu ele ela nós você vocês meu minha seu sua mas mais muito está são foi tem ter isso " +
		"este esta onde quando quem ao à pelo pela também aqui já bem antes alguém temos tenho tudo boa noite obrigado amigo amigos | o a as e de do da no na com como me se sem ou",
}

type tongue struct{ own, shared uint8 } // a bit for each language

var (
	tongues = func() map[string]tongue {
		words := map[string]tongue{}
		for i, text := range tongueWords {
			own, shared, _ := strings.Cut(text, "|")
			for _, w := range strings.Fields(own) {
				t := words[w]
				t.own |= 1 << i
				words[w] = t
			}
			for _, w := range strings.Fields(shared) {
				t := words[w]
				t.shared |= 1 << i
				words[w] = t
			}
		}
		return words
	}()
	// english is a hash table of packed words; 0 is an empty place.
	english = func() (table [1 << 8]uint64) {
		for _, w := range strings.Fields(englishWords) {
			packed := uint64(0)
			for i := range len(w) {
				packed = packed<<8 | uint64(w[i])
			}
			at := hashed(packed)
			for table[at] != 0 {
				at = (at + 1) % len(table)
			}
			table[at] = packed
		}
		return table
	}()
)

// letters are the bytes of words, small; 0 is none of one.
var letters = func() (table [256]uint8) {
	for i := range table {
		if ch := uint8(i) | 0x20; 'a' <= ch && ch <= 'z' || ch >= utf8.RuneSelf {
			table[i] = ch
		}
	}
	return table
}()

func hashed(packed uint64) int { return int(uint32(packed) * 0x9e3779b1 >> 24) }

func isEnglish(packed uint64) bool {
	for at := hashed(packed); english[at] != 0; at = (at + 1) % len(english) {
		if english[at] == packed {
			return true
		}
	}
	return false
}

// leastWords is how many words it takes to tell a language.
const leastWords = 6

// otherTongue reports whether some texts are clearly French, German, Spanish, Italian or Portuguese: they
// have that language's function words, and hardly any of English.
func otherTongue(texts ...string) bool {
	words, own := 0, 0
	for _, text := range texts {
		packed := uint64(0)
		for i := 0; i <= len(text); i++ {
			if i < len(text) {
				if letter := letters[text[i]]; letter != 0 {
					packed = packed<<8 | uint64(letter)
					continue
				}
			}
			if packed != 0 {
				words++
				if packed < 1<<(5*8) && isEnglish(packed) {
					own++
				}
				packed = 0
			}
		}
	}
	if words < leastWords || own*6 >= words {
		return false
	}
	n, distinct := foreignWords(texts)
	return n >= 3 && n > 2*own && n*4 >= words && (distinct >= 3 || distinct == 2 && words < 2*leastWords-2)
}

// foreignWords counts the function words of the language that has the most of them in some texts, and
// how many of these are not English or a name's too.
func foreignWords(texts []string) (most, distinct int) {
	var own, shared, kinds [len(tongueWords)]int
	seen := map[string]bool{}
	for _, text := range texts {
		for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
			t, again := tongues[w], seen[w]
			if t == (tongue{}) {
				continue
			}
			seen[w] = true
			for i := range own {
				mine := int(t.own >> i & 1)
				own[i] += mine
				shared[i] += int(t.shared >> i & 1)
				if !again {
					kinds[i] += mine
				}
			}
		}
	}
	for i := range own {
		if n := own[i] + min(shared[i], own[i]); n > most {
			most, distinct = n, kinds[i]
		}
	}
	return most, distinct
}
