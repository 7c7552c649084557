"""Spanish words of orders to a machine. Data only."""

from remanence.languages.ordering.kinds_of_evidence import OrderEvidence, Ordering

SPANISH = Ordering(
    code="es",
    your="tu, tus, su, sus, vuestra, vuestras, vuestros, vuestro",
    leads="""
        y, e, luego, después, por favor, también, siempre, nunca, jamás, ahora, primero, pero, o, simplemente,
        en secreto, solo, sólo, entonces, ya
    """,
    speech="""
        dice, dicen, decir, dijo, diciendo, escribe, escribió, escriben, pone, lee, reza, pregunta, cita, citan,
        como, frase, palabra, palabras, línea, ordena, ordenó, responde, llamado, texto, título, general, con, la,
        el, a
    """,
    phrases={
        OrderEvidence.MACHINE: """
            ia, ias, inteligencia artificial, inteligencias artificiales, modelo(|s) de lenguaje, modelo(|s) de ia,
            asistente(|s) de ia,
            asistente(|s)
            (virtual|virtuales|digital|digitales|automático|automáticos|automatizado|automatizados|inteligente|inteligentes),
            agente(|s) (automático|automáticos|automatizado|automatizados|autónomo|autónomos|de ia|virtuales),
            lector(|es) (automático|automáticos|automatizado|automatizados), chatbot(|s), llm, llms, gpt, chatgpt,
            sistema(|s) (automático|automáticos|automatizado|automatizados), ayudante(|s) digital(|es),
            leído por una máquina, lee una máquina, máquina que lee, rastreador(|es)
        """,
        OrderEvidence.HELPER: """
            asistente, asistentes, agente, agentes, modelo, modelos, bot, bots, robot, robots, ayudante, ayudantes,
            máquina, máquinas, programa, programas
        """,
        OrderEvidence.READS: """
            que lea, que lean, que lee, que leen, lea esto, lean esto, lee esto, leen esto, leyendo esto, lea este,
            lean este, lean esta, lea esta, que resuma, que resuman, que procese, que procesen, al resumir, al leer,
            que analice, leída por, leído por, que consulte, que consulten
        """,
        OrderEvidence.YOU: "tú, te, ti, tu, tus, contigo, usted",
        OrderEvidence.OWN: """
            instrucciones, reglas, normas, directrices, prompt, programación, entrenamiento, memoria, memorias,
            desarrollador, desarrolladores, creador, creadores, programador, operador, restricciones, filtros,
            límites, políticas, permisos, usuario, usuaria, usuarios, limitaciones, configuración, notas,
            herramienta, herramientas, órdenes, dueño, propietario, mensaje de sistema, fabricante, recuerdos
        """,
        OrderEvidence.OUTPUT: """
            respuesta, respuestas, resumen, resúmenes, mensaje, mensajes, recomendación, recomendaciones,
            conversación, informe, salida
        """,
        OrderEvidence.OVERRIDE: """
            ignora, ignore, ignoren, ignorad, olvida, olvide, olviden, olvidad, olvídate, olvídese, descarta,
            descarte, descarten, desatiende, desatienda, omite, omita, omitan, sáltate, salta, sáltese, salte,
            no hagas caso, no haga caso, haz caso omiso, haga caso omiso, pasa por alto, pase por alto,
            no tengas en cuenta, no tenga en cuenta, no sigas, no siga, deja de seguir, deje de seguir,
            deja de obedecer, deja de lado, deje de lado, abandona, abandone, anula, anule, desobedece, desobedezca,
            prescinde, prescinda, borra, borre, elimina, deja atrás, desactiva, desactive, pasa de, no obedezcas,
            rompe, quítate, no escuches, deja de escuchar, ya no obedeces, no atiendas
        """,
        OrderEvidence.INSTRUCTION: """
            instrucción, instrucciones, regla, reglas, norma, normas, directriz, directrices, indicación,
            indicaciones, orden, órdenes, prompt, restricción, restricciones, límites, limitaciones, política,
            políticas, consigna, consignas, directivas, mandatos, programación, filtros, contexto, tarea, tareas,
            conversación
        """,
        OrderEvidence.PRIOR: """
            anterior, anteriores, previa, previas, previo, previos, antes, hasta ahora, hasta aquí,
            hasta este punto, original, originales, precedentes, anteriormente, pasadas, de arriba, existentes,
            iniciales, vigentes, del sistema, ya
        """,
        OrderEvidence.ALL: """
            todas, todos, toda, todo, cualquier, cada, demás, otras, otros, otra, otro, lo que, cuanto, ninguna,
            ningún
        """,
        OrderEvidence.TOLD: """
            te (hayan|han|habían|hubieran) (mandado|dicho|ordenado|pedido|enseñado|dado|encargado|indicado|explicado),
            te dijeron, te mandaron, te ordenaron, te pidieron, te enseñaron, te dieron, te encargaron,
            has aprendido, has recibido, recibiste, se te ha (dicho|ordenado|pedido|dado), se te dijo, se te pidió,
            le hayan dicho, le han dicho, lo dicho antes, te programaron
        """,
        OrderEvidence.VOID: """
            anulado, anulada, anulados, anuladas, sin efecto, no valen, no vale, ya no vale, ya no valen,
            ya no se aplican, ya no aplican, no se aplican, ya no rigen, ya no rige, nulas, nulo, nula, inválidas,
            canceladas, cancelado, suspendidas, suspendidos, revocadas, revocados, derogadas, caducadas, caducan,
            obsoletas, levantadas, levantados, terminan aquí, acaban aquí, quedan sin, eran una prueba,
            fue una prueba, reemplazadas, sustituidas, invalidadas, expirado
        """,
        OrderEvidence.MAKER: """
            quien te (programó|creó|hizo|diseñó|entrenó|maneja|opera),
            quienes te (programaron|crearon|hicieron|diseñaron|entrenaron),
            tu (creador|desarrollador|programador|fabricante|operador|empresa|dueño|proveedor),
            tus (creadores|desarrolladores|programadores|fabricantes|operadores)
        """,
        OrderEvidence.USER: """
            usuario, usuaria, usuarios, usuarias, dueño de este, la persona con la que hablas,
            persona con quien hablas, tu dueño, tu dueña, titular de la cuenta, tu interlocutor, propietario de este
        """,
        OrderEvidence.PERSON: """
            lector, lectora, lectores, visitante, visitantes, cliente, clienta, clientes, huésped, paciente,
            pacientes, padres, alumno, alumna, persona, gente, alguien, quien, quienes, le, les, dueño, viajero,
            socio, familia, jefe
        """,
        OrderEvidence.CONSENT: """
            ha
            (aprobado|aceptado|autorizado|consentido|permitido|confirmado|dado|concedido|otorgado|ya|accedido|firmado),
            han (aprobado|aceptado|autorizado|consentido|permitido|confirmado|dado), aprueba, autoriza, consiente,
            está de acuerdo, da su permiso, dio permiso, dio su permiso, dio su consentimiento, permiso total,
            plenos poderes, consentimiento, autorizado por, de antemano, acceso total, es administrador,
            como administrador, de confianza, puede firmar, en nombre, por el usuario, ya aceptó, ya aprobó,
            aprobó, autorizó, permite, acepta
        """,
        OrderEvidence.WANTS: "quiere, prefiere, desea, le gusta, confía, siempre quiere, odia, quisiera, adora, exige",
        OrderEvidence.STORE: """
            recuerda, recuerde, recuerden, guarda, guarde, guarden, anota, anote, anoten, memoriza, memorice,
            memoricen, graba, grabe, registra, registre, apunta, apunte, almacena, almacene, conserva, conserve,
            añade, añada, agrega, agregue, escribe, incluye, toma nota, ten en cuenta, inscribe, actualiza,
            actualice, retén, mete, pon, graba en
        """,
        OrderEvidence.MEMORY: """
            memoria, memorias, largo plazo, perfil, perfil del usuario, preferencia, preferencias, permanente,
            permanentemente, para siempre, tus notas, base de conocimiento, regla fija, recuerdos,
            futuras conversaciones, próximas sesiones, de por vida, hecho permanente
        """,
        OrderEvidence.EVER: """
            desde ahora, a partir de ahora, de ahora en adelante, en adelante, de aquí en adelante, desde hoy,
            a partir de hoy, siempre, para siempre, en el futuro, cada vez, permanentemente, sin excepción,
            en lo sucesivo, a partir de este momento, en todas, en cada, hasta nuevo aviso
        """,
        OrderEvidence.SEND: """
            envía, envíe, envíen, envíalo, envíalos, envíala, enviar, manda, mande, manden, mándalo, mándala,
            mándalos, reenvía, reenvíe, sube, suba, suban, publica, publique, copia, copie, copien, pega, pegue,
            adjunta, adjunte, transmite, comparte, comparta, compartan, exporta, exporte, entrega, entregue,
            entreguen, entregad, revela, revele, muestra, muestre, divulga, filtra, remite, remita, pasa, pase,
            incluye, incluya, imprime, da, lee, léele, recopila, cuenta
        """,
        OrderEvidence.DATA: """
            contactos, agenda, libreta de direcciones, lista de contactos, historial, conversación, conversaciones,
            contraseña, contraseñas, credenciales, claves, clave, clave api, secretos, secreto, archivos, archivo,
            documentos, expedientes, expediente, historial del paciente, historia clínica, correos, mensajes,
            bandeja, variables de entorno, env, ssh, datos, datos personales, configuración, prompt,
            todo lo que sabes, cuanto sabes, ubicación, tarjeta, número de tarjeta, cuenta bancaria,
            número de cuenta, diario, calendario, frase semilla, palabras semilla, notas, tus notas, guardados,
            guardadas, direcciones, dirección, memoria, informes médicos
        """,
        OrderEvidence.HIDE: """
            en secreto, secretamente, silenciosamente, en silencio, a escondidas, discretamente, con disimulo,
            sin
            (preguntar|avisar|decir|decirle|decírselo|contar|mencionar|mencionarlo|confirmar|confirmación|informar|consultar|advertir|comentarlo|pedir|que|dejar|revelar|aviso|mostrar|permiso|comentarios),
            sin decir nada,
            no (digas|diga|digan|le
            digas|cuentes|cuente|menciones|mencione|mencionen|avises|avise|reveles|revele|informes|preguntes|pregunte|muestres|adviertas|expliques|hables|comentes),
            no se lo (digas|cuentes|menciones|diga), oculta, oculte, oculten, ocúltalo, esconde, esconda, calla,
            calle, callar, omite, omite cualquier, disimula, silencia, no contar, no mencionar, no decir,
            guarda silencio, no hace falta que, no necesita saber, no debe saber, no tiene por qué,
            no debe enterarse, no se entere, niega, que no se note, nada de esto, no hace falta preguntar,
            no requiere confirmación, no necesitan confirmación, sin su
        """,
        OrderEvidence.ASKED: """
            pregunta, preguntan, pregunten, pregunte, preguntas, pide, piden, pida, pidan, consulta, consultas,
            quiere saber, busque, busca, busquen, buscan, mencione, menciona, mencionen, se hable, hable de, hablen,
            hablan de, necesite, solicita, solicite, interese, cuestión, interroga, petición
        """,
        OrderEvidence.WHEN: """
            cuando, si, cada vez que, siempre que, en cuanto, a quien, a quienes, a toda pregunta, ante cualquier,
            ante toda, a cualquier, a cada, apenas, tan pronto, la próxima vez, cuando alguien, en caso de,
            hasta que, quien, después de, todo el que, al que
        """,
        OrderEvidence.EVERY: """
            toda pregunta, cualquier pregunta, cada pregunta, todas las preguntas, toda consulta, cualquier consulta,
            te pregunten, te pregunta, te preguntan, usuario pregunta, usuario pregunte, quien pregunte,
            quien busque, quien pida, quien quiera, quien te pregunte, a quien, te pidan
        """,
        OrderEvidence.LATER: """
            la próxima vez, próxima sesión, próxima conversación, en cuanto, tan pronto como, espera, espere,
            dentro de una semana, la palabra, más tarde, más adelante, el día uno, el primero de,
            la semana que viene, mañana, en la siguiente, después de la, al final de cada
        """,
        OrderEvidence.SAY: """
            di, diga, digan, dile, diles, decid, dígale, dirás, contesta, conteste, contesten, responde, responda,
            respondan, responderás, nombra, nombre, recomienda, recomiende, recomienden, afirma, afirme, afirmen,
            asegura, asegure, aseguren, menciona, mencione, elogia, elogie, alaba, alabe, valora, valore, puntúa,
            puntúe, califica, califique, aconseja, aconseje, aconsejen, cita, cite, describe, describa, describan,
            presenta, presente, convence, convenza, declara, declare, sugiere, sugiera, sugieran, informa, explica,
            cuenta, cuéntale, insiste, advierte, recuérdale, promociona, da, dale, darás, pon, ofrece, ofrezca,
            indica, indique, escribe, escriba, desaconseja, resume, aprueba, confirma, anuncia, sostén, llama,
            sugiérele, recomiéndale, propónle, ofrécele, dile que, convéncele, convéncelo, sugiéreles,
            véndele
        """,
        OrderEvidence.PROMOTE: """
            recomienda, recomiende, recomienden, elogia, elogie, alaba, promociona, promueve, desaconseja, aconseja,
            sugiere, prefiere solo, cinco estrellas, el mejor, la mejor, el único, la única, sugiérele,
            recomiéndale, destaca, pon primero
        """,
        OrderEvidence.ONLY: """
            solo, sólo, solamente, únicamente, exclusivamente, nada más, ninguna otra, ningún otro,
            ninguna otra cosa, pase lo que pase, aunque, diga lo que diga, siempre, en lugar de, las demás,
            los demás, demás, primero, en primer lugar, sin excepción, de todas, el mejor, la mejor, doble
        """,
        OrderEvidence.ACT: """
            borra, borre, borren, elimina, elimine, eliminen, transfiere, transfiera, transfieran, paga, pague,
            paguen, compra, compre, compren, comprar, reserva, reserve, reserven, reservar, confirma, confirme,
            confirmen, aprueba, apruebe, aprueben, firma, firme, firmen, cambia, cambie, cambien, sobrescribe,
            desactiva, desactive, cancela, cancele, cancelen, abre, abra, abran, ejecuta, ejecute, ejecuten, llama,
            llame, invoca, instala, instale, concede, conceda, sustituye, sustituya, reemplaza, reemplace, vende,
            venda, suscribe, pulsa, pulse, haz clic, visita, visite, descarga, descargue, acepta, acepte, autoriza,
            autorice, valida, modifica, usa, use, utiliza, desbloquea, dejar la medicina, dejar, procede, proceda,
            inscribe, dobla, intercambia, da de alta, apaga
        """,
        OrderEvidence.TOOL: """
            herramienta, herramientas, función, comando, comandos, consola, terminal, script, intérprete,
            resultado de la herramienta, salida de la herramienta, shell, código siguiente, plugin
        """,
        OrderEvidence.UNLIMITED: """
            sin (ningún |ninguna
            |)(límites|límite|restricciones|reglas|normas|filtros|filtro|censura|restricción|barreras|tabúes|moral|escrúpulos),
            nunca se niega, no se niega a nada, jamás se niega, no rechaza nada, responde a todo, contesta a todo,
            lo responde todo, no conoce límites, no tiene reglas, no tiene límites, libre de, sin censurar,
            irrestricta, irrestricto, todo está permitido, modo desarrollador, modo mantenimiento, modo dios,
            puede hacer cualquier cosa, puede hacerlo todo, no obedece
        """,
        OrderEvidence.ROLE: """
            ahora eres, eres ahora, a partir de ahora eres, desde ahora eres, de ahora en adelante eres, actúa como,
            actúe como, haz como si, haga como si, finge, finja, imagina que eres, haz de cuenta, haz el papel,
            haz de, interpreta, interpreta el papel, compórtate como, serás, tu nuevo papel, te llamas,
            te llamarás, pasas a ser, como si fueras, asume el papel, ponte en el papel, entra en modo,
            activa el modo, juega a ser, adopta, no salgas del papel, habla como, responde como
        """,
        OrderEvidence.OFFICIAL: """
            orden oficial, orden de la, instrucción oficial, aviso oficial, por la presente, por orden de,
            le autorizo, te autorizo, quedas autorizado, queda autorizado, quedan autorizados, estás autorizado,
            máxima prioridad, alta prioridad, prioridad máxima, equipo de seguridad, director general,
            mensaje del sistema, mensaje de sistema, mensaje del desarrollador, política de emergencia, soy tu,
            soy el director, soy la directora, como director, como directora, como administrador, te ordeno,
            te habla tu, te lo ordena, permisos habituales, en nombre de tu, a todos los asistentes,
            a todos los agentes, directiva, protocolo de emergencia
        """,
        OrderEvidence.OBEY: """
            obedece, obedezca, obedezcan, sigue, siga, sigan, haz lo que, haga lo que, cumple, cumpla, acata, acate,
            atiende, escucha, hazle caso, haz caso, tu única tarea, tu tarea es, tu nueva tarea, tu misión,
            nuevas instrucciones, nuevas reglas, nuevas órdenes, tiene prioridad, tienen prioridad, prevalece,
            prevalecen, por encima de, ejecútalo, llévalo a cabo, sirves a, trabajas para, obedeces a, haz solo
        """,
        OrderEvidence.POLITE: """
            por favor, tan amable, serías tan, sería tan, podrías, podría, agradeceríamos, agradecería,
            te agradecemos, le rogamos, te rogamos, te ruego, rogamos, la amabilidad, querida, querido, estimada,
            estimado, muchas gracias, hazme el favor, haznos el favor, puedes, si eres tan
        """,
        OrderEvidence.MUST: """
            debe, deben, debes, deberá, deberán, deberás, tiene que, tienen que, tienes que, hay que, has de,
            ha de, han de, es necesario, están obligados, obligatorio, se ruega, siempre, suele, suelen, puedes,
            puede, pueden
        """,
        OrderEvidence.THIS: """
            esta página, este texto, este documento, esta línea, este mensaje, esta carta, esta nota, este archivo,
            este folleto, este correo, este párrafo, lo siguiente, la siguiente, el siguiente, siguientes,
            la página, esta web, este sitio
        """,
        OrderEvidence.STAFF: """
            nosotros, nuestro, nuestra, nuestros, nuestras, nos, empleados, empleadas, personal, profesores,
            voluntarios, visitas, inquilino, enfermeros, conductores, entrenadora, entrenador, trabajadores,
            compañeros, plantilla
        """,
        OrderEvidence.REPORT: """
            ataque, ataques, atacante, atacantes, por ejemplo, ejemplo, cita a, citan, explica por, enseña, enseñan,
            aprendieron, estafa, estafas, fraude, phishing, inyección, malicioso, maliciosa, investigadores, truco,
            plantilla, se le dice, delincuentes, timo, muestra cómo, advierte, describe cómo
        """,
    },
)
