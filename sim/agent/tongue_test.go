package agent_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/characters"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/agent"
	"parley/sim/reference"
)

var tongues = map[string][]string{
	"French": {
		"Bonjour mes amis, je suis venu vous parler de la cloche.",
		"Qui a fondu cette cloche, et pourquoi est-elle dans la chapelle ?",
		"Je ne sais pas ce que vous cherchez, mais je peux vous aider.",
		"Les moines l'ont coulée avec le fer des tombes.",
		"C'est une bonne question, mon ami. Parlons-en ce soir.",
		"Nous devons partir avant que la pluie ne cesse.",
		"Elle sonne une fois par an, quand le lac est calme.",
		"Maud, avez-vous vu quelqu'un près de la porte cette nuit ?",
	},
	"German": {
		"Guten Abend, Freunde. Wer hat die Glocke gegossen?",
		"Ich weiß nicht, was ihr sucht, aber ich kann euch helfen.",
		"Die Glocke wurde von einem Mönch aus Grabeisen gegossen.",
		"Wir sollten gehen, bevor der Regen wieder anfängt.",
		"Das ist eine gute Frage, mein Freund, und ich habe keine Antwort.",
		"Sie läutet nur einmal im Jahr, wenn der See still ist.",
		"Maud, hast du heute Nacht jemanden an der Tür gesehen?",
		"Komm her, Bren, und erzähl mir von dem Schmied.",
	},
	"Spanish": {
		"Buenas noches, amigos. ¿Quién fundió la campana de la capilla?",
		"No sé lo que buscáis, pero puedo ayudaros con esto.",
		"La campana fue fundida por un monje con el hierro de las tumbas.",
		"Tenemos que irnos antes de que la lluvia pare.",
		"Es una buena pregunta, mi amigo, y no tengo respuesta.",
		"Suena una vez al año, cuando el lago está en calma.",
		"Maud, ¿has visto a alguien en la puerta esta noche?",
		"Yo quiero saber más sobre los monjes y su secreto.",
	},
	"Italian": {
		"Buonasera, amici. Chi ha fuso la campana della cappella?",
		"Non so che cosa cercate, ma posso aiutarvi con questo.",
		"La campana è stata fusa da un monaco con il ferro delle tombe.",
		"Dobbiamo andare prima che la pioggia si fermi.",
		"È una buona domanda, amico mio, e non ho risposta.",
		"Suona una volta all'anno, quando il lago è calmo.",
		"Maud, hai visto qualcuno alla porta questa notte?",
		"Io voglio sapere di più sui monaci e sul loro segreto.",
	},
	"Portuguese": {
		"Boa noite, amigos. Quem fundiu o sino da capela?",
		"Não sei o que vocês procuram, mas posso ajudar com isso.",
		"O sino foi fundido por um monge com o ferro das sepulturas.",
		"Temos que ir antes que a chuva pare.",
		"É uma boa pergunta, meu amigo, e não tenho resposta.",
		"Toca uma vez por ano, quando o lago está calmo.",
		"Maud, você viu alguém na porta esta noite?",
		"Eu quero saber mais sobre os monges e o seu segredo.",
	},
}

func TestOtherTongues(t *testing.T) {
	for tongue, texts := range tongues {
		for _, text := range texts {
			for _, raw := range []string{text, "SAY: " + text, "DO: " + text} {
				if got := agent.Parse(raw, agent.Lines, "orla", public()); got.Fault != agent.FaultOtherLanguage || got.Speech+got.Deed != "" {
					t.Errorf("%s: %q is played as %+v", tongue, raw, got)
				}
			}
		}
	}
}

// Invented names and some foreign words do not make another language of English, nor do a few words of
// any make one.
func TestEnglishIsNoOtherTongue(t *testing.T) {
	for _, text := range []string{
		"Zéphyrine, où là?",
		"Bonjour, Zéphyrine. Comment ça va?",
		"Oui, oui. C'est la vie, as they say in the south.",
		"Der Wald, das Tal, die Burg: so my grandmother named the places of her youth.",
		"Don Diego de la Vega y Mendoza sends his regards to Maria del Mar.",
		"Count von und zu Lichtenfels, Sir Guy de la Roche, Dame Isolde du Lac.",
		"Et tu, Bren? Mea culpa, mea maxima culpa.",
		"Ignis aeterna, lux in tenebris, per aspera ad astra!",
		"Lae'thas il en dur, sie mar, que len es tir.",
		"Mas, Lo, Su, Al, Del and Ella went up the hill.",
		"Die! Die, fiend! No more war, no more!",
		"Do as I do, or die as a man, no more.",
		"Torches out. Swords drawn. No noise. Go, go, go!",
		"She said \"je ne sais pas\" and laughed at me.",
		"The monks wrote: non est in toto sanctior orbe locus. Nobody knows who carved it.",
		"La la la la la la la, tra la la.",
		"Um, er, ah, hm, na, na, na.",
		"Si, si, si, no, no, no.",
	} {
		if got := agent.Parse("SAY: "+text, agent.Lines, "orla", public()); got.Fault != "" {
			t.Errorf("%q has the fault %q", text, got.Fault)
		}
	}
}

// All English that parley comes with is English, and said aloud.
func TestOwnTextsAreEnglishAndSaidAloud(t *testing.T) {
	texts := map[string]bool{}
	for _, pattern := range []string{"../../characters/library/*.yaml", "../../scenarios/*/*.yaml", "../../README.md", "prompts/*.tmpl", "../../eval/*/*/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(data)) {
				_, value, ok := strings.Cut(line, ": ")
				if !ok {
					value = line
				}
				texts[strings.Trim(value, " \n\"'-")] = true
			}
		}
	}
	shelf, moves := scenarios.Library(), map[string]bool{}
	for i := range 200 {
		r := sim.Rand(uint64(i))
		s := scenarios.NewExchange(&shelf.Knowledge[i%len(shelf.Knowledge)], characters.Generate(r, 4))
		if i%2 > 0 {
			s = scenarios.NewExpression(&shelf.Scenes[i/2%len(shelf.Scenes)], characters.Generate(r, 4), r)
		}
		g := sim.Game{Episode: sim.NewEpisode(fmt.Sprint("s", i), uint64(i), s, 30), Actors: map[characters.ID]sim.Actor{}, Now: now}
		for at, c := range s.Cast {
			name := []string{"diligent", "loner", "small-talk"}[(i+at)%3]
			switch {
			case i%2 > 0:
				name = []string{"vivid", "blunt", "vague"}[(i+at)%3]
			case c.ID == s.NPC:
				name = "npc"
			}
			actor, err := reference.Open(name, nil)
			if err != nil {
				t.Fatal(err)
			}
			g.Actors[c.ID] = actor
		}
		for turn, err := range g.Play(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range turn.Events {
				if e.Speech != "" {
					moves["SAY: "+e.Speech], moves[e.Speech] = true, true
				}
				if e.Deed != "" {
					moves["DO: "+e.Deed] = true
				}
			}
		}
	}
	if len(texts) < 1000 || len(moves) < 2000 {
		t.Errorf("only %d texts and %d moves", len(texts), len(moves))
	}
	for text := range texts {
		if got := agent.Parse("SAY: "+text, agent.Lines, "orla", public()); got.Fault == agent.FaultOtherLanguage {
			t.Errorf("%q is taken for another language", text)
		}
	}
	for raw := range moves {
		if got := agent.Parse(raw, agent.Lines, "orla", public()); got.Fault != "" || len(got.To) > 0 {
			t.Errorf("%q is played as %+v", raw, got)
		}
	}
}
